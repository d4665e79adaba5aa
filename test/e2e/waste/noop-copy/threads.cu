// Four workers, each with its stream and its buffer, take turns and send the same model before every request.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz
// FLAGS: -pthread
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT[simulator]: noop-copy proven function=serve line=@model variable=d_model count=20 bytes=20MiB
// What could not be verified safely beside another thread's work is not counted.
// EXPECT[gpu]: noop-copy proven function=serve line=@model variable=d_model count>=5 count<=20
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <mutex>
#include <string.h>
#include <thread>

constexpr int N = 1 << 18, Workers = 4, Requests = 6;

__host__ __device__ inline void answerAt(unsigned i, const float *model, float request,
                                         float *answer) {
  answer[i] = model[i] * request;
}
__global__ void answers(const float *model, float request, float *answer) {
  answerAt(globalThread(), model, request, answer);
}
SIMULATED(answers, answerAt)

static std::mutex device;

static void serve(const float *model, int worker, float *d_answer, uint32_t *result) {
  float *d_model;
  std::vector<float> answer(N);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_model, N * 4));
  for (int request = 0; request < Requests; ++request) {
    std::lock_guard<std::mutex> mine(device);
#ifdef FIXED
    if (request == 0)
#endif
      CHECK(cudaMemcpyAsync(d_model, model + worker, N * 4, cudaMemcpyHostToDevice, stream)); // @model
    answers<<<N / 256, 256, 0, stream>>>(d_model, 1.0f + float(request), d_answer);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(answer.data(), d_answer, N * 4, cudaMemcpyDeviceToHost));
  *result = checksum(answer);
  CHECK(cudaFree(d_model));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  float *model;
  CHECK(cudaMallocHost(&model, (N + Workers) * 4));
  memcpy(model, noise(N + Workers).data(), (N + Workers) * 4);
  std::vector<std::thread> workers;
  uint32_t results[Workers];
  // Before the first worker: what one copies while another's call brings the auditor up is not verified.
  float *d_answers[Workers];
  for (float *&d_answer : d_answers)
    CHECK(cudaMalloc(&d_answer, N * 4));
  for (int i = 0; i < Workers; ++i)
    workers.emplace_back(serve, model, i, d_answers[i], &results[i]);
  for (std::thread &worker : workers)
    worker.join();
  for (float *d_answer : d_answers)
    CHECK(cudaFree(d_answer));
  for (uint32_t result : results)
    printf("%08x\n", result);
  CHECK(cudaFreeHost(model));
}
