// Frees of what CUDA's other calls, or the host, made: each says what the address is.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: invalid-free proven line=@interior count=1
// EXPECT: invalid-free proven line=@malloc count=1
// EXPECT: invalid-free proven line=@new count=1
// EXPECT: invalid-free proven line=@stack count=1 fix=drop*the*call*
// EXPECT: invalid-free proven line=@variable count=1
// EXPECT: invalid-free proven line=@pinned count=2
// EXPECT: invalid-free proven line=@device count=1
// EXPECT: invalid-free proven line=@address count=1 fix=pass*d_own*itself*
// EXPECT: invalid-free proven line=@member count=1 fix=pass*held->memory*itself*
// EXPECT-ALL
// EXPECT-REPORT: *cudaFree got an address 1.02 kB into an allocation of 4.10 kB made at*
// EXPECT-REPORT: *cudaFree got the address of ordinary host memory, as malloc and new*
// EXPECT-REPORT: *cudaFreeHost got the address of ordinary host memory, as malloc and new*
// EXPECT-REPORT: *cudaFree got the address of a local variable, which lies on the stack:*
// EXPECT-REPORT: *cudaFree got the address of a variable of the program, which lies in the*
// EXPECT-REPORT: *cudaFree got the address of pinned memory, made at of_what.cpp:{@staging}:*
// EXPECT-REPORT: *cudaFreeHost got the address of device memory, made at of_what.cpp:{@data}:*
// EXPECT-NO[twin]: invalid-free
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static int failures;
static void tryFree(cudaError_t status) {
  if (status != cudaSuccess)
    ++failures;
}

static float table[1024] = {1};
struct Holder {
  void *memory = nullptr;
};

int main() {
  char *d_data;
  float *h_staging;
  CHECK(cudaMalloc(&d_data, 4096)); // @data
  CHECK(cudaMallocHost(&h_staging, 4096)); // @staging
  char *h_data = static_cast<char *>(malloc(4096));
  double *h_numbers = new double[100];
  int local[4] = {};
  char *d_own;
  Holder *held = new Holder;
  CHECK(cudaMalloc(&d_own, 256));
  CHECK(cudaMalloc(&held->memory, 512));
#ifndef FIXED
  tryFree(cudaFree(&d_own)); // @address
  tryFree(cudaFree(reinterpret_cast<void *>(&held->memory))); // @member
  tryFree(cudaFree(d_data + 1024)); // @interior
  tryFree(cudaFree(h_data)); // @malloc
  tryFree(cudaFreeHost(h_numbers)); // @new
  tryFree(cudaFree(local)); // @stack
  tryFree(cudaFree(table)); // @variable
  for (int i = 0; i < 2; ++i)
    tryFree(cudaFree(h_staging)); // @pinned
  tryFree(cudaFreeHost(d_data)); // @device
#endif
  tryFree(cudaFree(d_own));
  tryFree(cudaFree(held->memory));
  tryFree(cudaFree(d_data));
  tryFree(cudaFreeHost(h_staging));
  delete held;
  free(h_data);
  delete[] h_numbers;
  printf("%d failures %d, then %s\n", failures, local[0] + int(table[0]),
         cudaGetErrorName(cudaGetLastError()));
}
