// Results that go to local variables, for a debugger: nothing reads them. And such as are read.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: ignored-error proven function=main line=@call via=@copy count=3 error=cudaErrorInvalidValue
// EXPECT: ignored-error proven function=main line=@event count=1 error=cudaErrorInvalid*
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static cudaError_t lastOf(void *d_target, const char *source) {
  cudaError_t error = cudaMemcpy(d_target, source, 64, cudaMemcpyHostToDevice);
  return error;
}

static void note(const cudaError_t &error) { printf("%d\n", int(error)); }

static void upload(void *d_target, const char *source) {
#ifdef FIXED
  if (!d_target)
    return;
#endif
  cudaError_t error = cudaSuccess;
  error = cudaMemcpy(d_target, source, 64, cudaMemcpyHostToDevice); // @copy
}

int main() {
  char source[64] = "data";
  void *d_target;
  CHECK(cudaMalloc(&d_target, 64));
  for (int i = 0; i < 3; ++i)
    upload(nullptr, source); // @call
  upload(d_target, source);
#ifndef FIXED
  cudaEvent_t event = nullptr;
  cudaError_t unread = cudaEventRecord(event, nullptr); // @event
  unread = cudaGetLastError(); // nor does anything look at this
#endif
  printf("%d\n", int(lastOf(nullptr, source)));
  cudaError_t given = cudaMemcpy(nullptr, source, 64, cudaMemcpyHostToDevice);
  note(given);
  cudaError_t captured = cudaMemcpy(nullptr, source, 64, cudaMemcpyHostToDevice);
  auto tell = [&] { printf("%d\n", int(captured)); };
  tell();
  cudaError_t compared;
  if ((compared = cudaMemcpy(nullptr, source, 64, cudaMemcpyHostToDevice)) != cudaSuccess)
    puts("refused");
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_target));
  puts("done");
}
