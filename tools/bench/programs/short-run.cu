// Two short programs: what the defaults know at their ends is printed by short-run.py.
// SPDX-License-Identifier: Apache-2.0
//
// usage: short-run pinned|pageable|lines [SECONDS]   (2)
//   pinned, pageable  390 rounds of two uploads and a download of 4.8 MB, 450 launches of two
//   kernels, a wait lines             60 lines that copy, 20 rounds; every third sends the same
//   bytes each time
// Between the rounds the host computes, so that the run takes its time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(CALL)                                                                                \
  do {                                                                                             \
    if (cudaError_t error = (CALL)) {                                                              \
      std::printf("%s: %s\n", #CALL, cudaGetErrorString(error));                                   \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

__global__ void scale(float *x, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * 0.5f + w[i];
}

__global__ void smooth(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += from[(i + k) % n];
  if (i < n)
    to[i] = sum / 64;
}

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void computeUntil(double when) {
  while (now() < when)
    ;
}

void copies(bool pinned, double seconds) {
  constexpr int N = 1200000, Rounds = 390;
  float *host[3], *x, *w, *y;
  for (float *&h : host)
    if (pinned)
      CHECK(cudaMallocHost(&h, N * sizeof(float)));
    else
      h = static_cast<float *>(std::malloc(N * sizeof(float)));
  CHECK(cudaMalloc(&x, N * sizeof(float)));
  CHECK(cudaMalloc(&w, N * sizeof(float)));
  CHECK(cudaMalloc(&y, N * sizeof(float)));
  for (int i = 0; i < N; ++i)
    host[0][i] = host[1][i] = float(i % 1000);
  const int blocks = (N + 255) / 256;
  const double begin = now();
  for (int round = 0; round < Rounds; ++round) {
    host[0][round] = float(round) + 0.5f;
    CHECK(cudaMemcpyAsync(x, host[0], N * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(w, host[1], N * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<blocks, 256>>>(x, w, N);
    if (round % 13 < 2)
      smooth<<<blocks, 256>>>(y, x, N);
    CHECK(cudaMemcpyAsync(host[2], x, N * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    computeUntil(begin + seconds * (round + 1) / Rounds);
  }
  for (float *h : host)
    if (pinned)
      CHECK(cudaFreeHost(h));
    else
      std::free(h);
  CHECK(cudaFree(x));
  CHECK(cudaFree(w));
  CHECK(cudaFree(y));
}

struct Buffer {
  std::vector<char> host;
  char *device;
};

void lines(double seconds) {
  constexpr int Rounds = 20;
  std::vector<Buffer> all(60);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].host.resize((i % 10 + 1) * 100000);
    for (size_t k = 0; k < all[i].host.size(); ++k)
      all[i].host[k] = char(k * 7 + i);
    CHECK(cudaMalloc(&all[i].device, all[i].host.size()));
  }
  const double begin = now();
  for (int round = 0; round < Rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i)
      if (i % 3)
        all[i].host[round] = char(round + 1);
    size_t i = 0;
// clang-format off
#define COPY CHECK(cudaMemcpy(all[i].device, all[i].host.data(), all[i].host.size(), cudaMemcpyHostToDevice)); ++i
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
    COPY;
#undef COPY
    // clang-format on
    computeUntil(begin + seconds * (round + 1) / Rounds);
  }
  for (Buffer &b : all)
    CHECK(cudaFree(b.device));
}

} // namespace

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  if (!std::strcmp(what, "lines"))
    lines(seconds);
  else if (!std::strcmp(what, "pinned") || !std::strcmp(what, "pageable"))
    copies(!std::strcmp(what, "pinned"), seconds);
  else
    return std::printf("usage: short-run pinned|pageable|lines [SECONDS]\n"), 2;
}
