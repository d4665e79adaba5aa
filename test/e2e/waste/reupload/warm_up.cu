// As benchmarks do: a warm-up calls what the loop calls, and each call fills a buffer of its own. Few
// uploads are looked at; all of the loop's are told, and the warm-up's is none. The twin keeps the buffer.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload proven function=sumOf line=@upload variable=d_values count=199
// EXPECT-NO[twin]: reupload
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Rounds = 200;

__host__ __device__ inline void scaleAt(unsigned i, const float *values, float *out) {
  out[i] = values[i] * 2.0f;
}
__global__ void scale(const float *values, float *out) { scaleAt(globalThread(), values, out); }
SIMULATED(scale, scaleAt)

static float *kept;

static void sumOf(const std::vector<float> &values, float *out) {
  float *d_values = kept;
  if (!d_values) {
    CHECK(cudaMalloc(&d_values, 4 * N));
    CHECK(cudaMemcpy(d_values, values.data(), 4 * N, cudaMemcpyHostToDevice)); // @upload
  }
  scale<<<N / 256, 256>>>(d_values, out);
  CHECK(cudaDeviceSynchronize());
#ifdef FIXED
  kept = d_values;
#else
  CHECK(cudaFree(d_values));
#endif
}

int main() {
  std::vector<float> values = noise(N);
  float *out;
  CHECK(cudaMalloc(&out, 4 * N));
  sumOf(values, out);
  for (int i = 0; i < Rounds; ++i)
    sumOf(values, out);
  CHECK(cudaFree(out));
  CHECK(cudaFree(kept));
  puts("done");
}
