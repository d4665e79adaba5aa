// A library fills its tables each time that it is loaded: its variables are others then, wherever
// they lie, though their names have the addresses from before. Filled again while it stays, they are
// the same.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// DLOPEN: libtables.so Inputs/tables.cu
// OPTIONS: audit=sampled budget=100
// EXPECT: noop-copy proven line=@Inputs/tables.cu:same count=11
// EXPECT-NO: noop-copy function=sumOnce
// EXPECT-NO: dead-copy
#include "../../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

static int use(const char *function, float *d_result) {
  void *library = dlopen("libtables.so", RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, function) : nullptr;
  if (!found)
    return 1;
  reinterpret_cast<void (*)(float *)>(found)(d_result);
  CHECK(cudaDeviceSynchronize());
  return dlclose(library);
}

int main() {
  float *d_result, result[32];
  int failed = 0;
  CHECK(cudaMalloc(&d_result, sizeof(result)));
  CHECK(cudaMemset(d_result, 0, sizeof(result)));
  for (int round = 0; round < 12; ++round)
    failed += use("sumOnce", d_result);
  failed += use("sumOften", d_result);
  CHECK(cudaMemcpy(result, d_result, sizeof(result), cudaMemcpyDeviceToHost));
  printf("%d\n", failed);
  CHECK(cudaFree(d_result));
}
