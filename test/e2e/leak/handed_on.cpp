// Memory that is made where a parameter says, of a function that was given its own caller's
// parameter: it has the name of the outermost one, by pointers and by references, through wrappers
// and through functions with a job of their own.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=d_in function=make line=@in caller=@handsOn count=1 bytes=1KiB
// EXPECT: leak proven variable=d_out function=make line=@out caller=@handsOn count=1 bytes=1KiB
// EXPECT: leak proven variable=buffers.in function=make line=@in caller=@handsOn count=1 bytes=1KiB
// EXPECT: leak proven variable=buffers.out function=make line=@out caller=@handsOn count=1 bytes=1KiB
// What is its own has one row, whoever called.
// EXPECT: leak proven variable=own function=setUp line=@own count=2 bytes=2KiB
// EXPECT: leak proven variable=d_first function=main line=@wrapped count=1 bytes=1KiB
// EXPECT: leak proven variable=d_left function=both line=@left count=1 bytes=1KiB
// EXPECT: leak proven variable=d_right function=both line=@right count=1 bytes=1KiB
// EXPECT: leak proven variable=two.in function=main line=@pair count=1 bytes=1KiB
// EXPECT: leak proven variable=two.out function=main line=@pair count=1 bytes=1KiB
// EXPECT-ALL
// EXPECT-NO[twin]: *
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <stdio.h>

struct Buffers {
  float *in, *out;
};

__attribute__((noinline)) static void make(float **in, float *&out, size_t n) {
  float sum[256];
  CHECK(cudaMalloc(in, n * sizeof(float)));            // @in
  CHECK(cudaMalloc((void **)&out, n * sizeof(float))); // @out
  CHECK(cudaMemset(*in, 0, n * sizeof(float)));
  CHECK(cudaMemcpy(out, *in, n * sizeof(float), cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(sum, out, n * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%g\n", sum[0]);
}

template <class T> static cudaError_t reserve(T **p, size_t n) {
  return cudaMalloc((void **)p, n * sizeof(T));
}
template <class T> static void checked(T *&p, size_t n) { CHECK(reserve(&p, n)); }

__attribute__((noinline)) static void setUp(float *&in, float **to, size_t n) {
  make(&in, *to, n); // @handsOn
  float *own, zero[256];
  checked(own, n); // @own
  CHECK(cudaMemset(own, 0, sizeof zero));
  CHECK(cudaMemcpy(zero, own, sizeof zero, cudaMemcpyDeviceToHost));
  printf("made %g\n", zero[0]);
#ifdef FIXED
  CHECK(cudaFree(own));
#endif
}

static void pair(float **first, float **second, size_t n) {
  checked(*first, n);
  checked(*second, n);
}

__attribute__((noinline)) static void both(float **left, float **right, size_t n) {
  checked(*left, n);  // @left
  checked(*right, n); // @right
  printf("both\n");
  CHECK(cudaMemset(*left, 0, n * sizeof(float)));
  CHECK(cudaMemcpy(*right, *left, n * sizeof(float), cudaMemcpyDeviceToDevice));
  float sum[256];
  CHECK(cudaMemcpy(sum, *right, n * sizeof(float), cudaMemcpyDeviceToHost));
}

int main() {
  float *d_in, *d_out, *d_first, *d_left, *d_right, zero[256];
  Buffers buffers, two;
  setUp(d_in, &d_out, 256);
  setUp(buffers.in, &buffers.out, 256);
  checked(d_first, 256); // @wrapped
  CHECK(cudaMemset(d_first, 0, sizeof zero));
  CHECK(cudaMemcpy(zero, d_first, sizeof zero, cudaMemcpyDeviceToHost));
  both(&d_left, &d_right, 256);
  pair(&two.in, &two.out, 256); // @pair
  CHECK(cudaMemset(two.in, 0, sizeof zero));
  CHECK(cudaMemcpy(two.out, two.in, sizeof zero, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(zero, two.out, sizeof zero, cudaMemcpyDeviceToHost));
#ifdef FIXED
  for (float *made : {d_in, d_out, buffers.in, buffers.out, d_first, d_left, d_right,
                      two.in, two.out})
    CHECK(cudaFree(made));
#endif
}
