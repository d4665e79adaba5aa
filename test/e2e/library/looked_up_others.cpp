// A program that looks up another function, and has closed a library before the first stream was
// made: streams that nobody destroys are proven leaks.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN-PLAIN: libhandles.so Inputs/handles.cpp
// EXPECT: leak proven memory=stream variable=stream line=@stream count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  void *library = dlopen("libhandles.so", RTLD_NOW | RTLD_LOCAL);
  if (!library || dlclose(library))
    return 1;
  auto query =
      reinterpret_cast<cudaError_t (*)(cudaStream_t)>(dlsym(RTLD_DEFAULT, "cudaStreamQuery"));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream)); // @stream
  if (!query || query(stream))
    return 2;
  puts("done");
}
