// A library without gpuinstr asks for the error, and is closed before anything says that nobody did.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN-PLAIN: libasks.so Inputs/asks.cpp
// EXPECT-NO: ignored-error proven
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  void *block = nullptr;
  CHECK(cudaMalloc(&block, 64));
  CHECK(cudaFree(block));
  cudaSetDevice(99);
  void *library = dlopen("libasks.so", RTLD_NOW | RTLD_LOCAL);
  auto ask = reinterpret_cast<int (*)()>(library ? dlsym(library, "foreignAsks") : nullptr);
  if (!ask || ask() != cudaErrorInvalidDevice || dlclose(library))
    return 1;
  puts("done");
}
