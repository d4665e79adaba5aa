// Nobody asks: the library that could have was closed before the call failed.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN-PLAIN: libasks.so Inputs/asks.cpp
// EXPECT: ignored-error proven line=@fails count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  void *block = nullptr;
  CHECK(cudaMalloc(&block, 64));
  CHECK(cudaFree(block));
  void *library = dlopen("libasks.so", RTLD_NOW | RTLD_LOCAL);
  if (!library || dlclose(library))
    return 1;
  cudaSetDevice(99); // @fails
  puts("done");
}
