// Each step makes a stream, a cuBLAS handle and a cuFFT plan of its own. Fixed, one of each serves
// all. Silent: two at the same time, and events, which cost next to nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// SHARED-PLAIN: libvendor.so ../../library/Inputs/vendor.cpp
// OPTIONS: verbose=1
// EXPECT: alloc-churn advice function=step line=@stream variable=stream count=8 bytes=0 message=*each*destroyed*before*the*next* fix=create*stream*once*
// EXPECT: alloc-churn advice function=step line=@blas variable=blas count=8
// EXPECT: alloc-churn advice function=step line=@plan variable=plan count=8
// EXPECT-NO: alloc-churn function=pairs
// EXPECT-NO: alloc-churn line=@event
// EXPECT-ALL
// EXPECT-NO[twin]: alloc-churn
#include "../../Inputs/check.h"
#include "../../library/Inputs/vendor.h"
#include <vector>

constexpr int Bytes = 4096, Rounds = 8;

static void work(char *d_x, const std::vector<char> &x, cudaStream_t stream) {
  static int round = 0;
  CHECK(cudaMemcpyAsync(d_x + Bytes * round++, x.data(), Bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
}

static int step(char *d_x, std::vector<char> &x, int round) {
  int status = 0;
  x[round] = char(round + 1);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream)); // @stream
  cublasHandle_t blas;
  status |= cublasCreate(&blas); // @blas
  cufftHandle plan;
  status |= cufftPlan1d(&plan, 256, 0x29, 1); // @plan
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event)); // @event
  CHECK(cudaEventRecord(event, stream));
  work(d_x, x, stream);
  CHECK(cudaEventDestroy(event));
  status |= cufftDestroy(plan);
  status |= cublasDestroy(blas);
  CHECK(cudaStreamDestroy(stream));
  return status;
}

static void pairs(char *d_x, std::vector<char> &x) {
  for (int i = 0; i < Rounds; ++i) {
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams)
      CHECK(cudaStreamCreate(&stream));
    x[i + 100] = char(i + 1);
    work(d_x, x, streams[i % 2]);
    for (cudaStream_t stream : streams)
      CHECK(cudaStreamDestroy(stream));
  }
}

int main() {
  std::vector<char> x(Bytes), all(2 * Rounds * Bytes);
  void *made;
  CHECK(cudaMalloc(&made, all.size()));
  char *d_x = static_cast<char *>(made);
  int status = 0;
#ifdef FIXED
  status |= step(d_x, x, 0);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 1; i < Rounds; ++i) {
    x[i] = char(i + 1);
    work(d_x, x, stream);
  }
  CHECK(cudaStreamDestroy(stream));
#else
  for (int i = 0; i < Rounds; ++i)
    status |= step(d_x, x, i);
#endif
  pairs(d_x, x);
  CHECK(cudaMemcpy(all.data(), d_x, all.size(), cudaMemcpyDeviceToHost));
  printf("%d %d\n", status, all[7 * Bytes + 7]);
  CHECK(cudaFree(d_x));
}
