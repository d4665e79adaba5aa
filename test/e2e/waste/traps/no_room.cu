// Trap: the same bytes are sent again because the device had no room for them meanwhile: a table
// makes way for a work area, and a field is swapped out and in. Of layers that come in turn, as
// many could have been kept as fit together: four of eight, three times each.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// ONLY: simulator
// ENV: GPUINSTR_SIM=memory=64M:kernels=skip
// OPTIONS: audit=full
// EXPECT: reupload proven line=@layer count=12
// EXPECT-ALL
// EXPECT-NO[both]: reupload line=@table
// EXPECT-NO[both]: reupload line=@field
// EXPECT-NO[both]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#ifdef FIXED // smaller ones, of which each is sent once
constexpr int N = 1 << 20, Layers = 2, Rounds = 1;
#else
constexpr int N = 10 << 20, Layers = 8, Rounds = 4;
#endif

__host__ __device__ inline void addAt(unsigned i, const float *table, float *sums) {
  sums[i] += table[i];
}
__global__ void add(const float *table, float *sums) { addAt(globalThread(), table, sums); }
SIMULATED(add, addAt)

static float *made(size_t n) {
  float *d;
  CHECK(cudaMalloc(&d, n * 4));
  return d;
}

static void useOther(float *d_sums) {
  float *d_area = made(N);
  CHECK(cudaMemset(d_area, 0, N * 4));
  add<<<1, 256>>>(d_area, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_area));
}

static void send(const std::vector<float> &table, float *d_sums) {
  float *d_table = made(N);
  CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @table
  add<<<1, 256>>>(d_table, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_table));
}

static void sendLayer(const std::vector<float> &layer, float *d_sums) {
  float *d_layer = made(N / 4);
  CHECK(cudaMemcpy(d_layer, layer.data(), N, cudaMemcpyHostToDevice)); // @layer
  add<<<1, 256>>>(d_layer, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_layer));
}

int main() {
  float *d_sums = made(256);
  CHECK(cudaMemset(d_sums, 0, 1024));
  std::vector<std::vector<float>> layers;
  for (int i = 0; i < Layers; ++i)
    layers.push_back(noise(N / 4, 2 + uint32_t(i)));
  for (int i = 0; i < Rounds; ++i)
    for (const std::vector<float> &layer : layers)
      sendLayer(layer, d_sums);

  const std::vector<float> table = noise(N);
  for (int i = 0; i < Rounds; ++i) {
    send(table, d_sums);
    useOther(d_sums);
  }
#ifndef FIXED
  send(table, d_sums); // by another line
  useOther(d_sums);
#endif

  std::vector<float> field = noise(N, 99), sums(256);
  for (int i = 0; i < Rounds; ++i) {
    float *d_field = made(N);
    CHECK(cudaMemcpy(d_field, field.data(), N * 4, cudaMemcpyHostToDevice)); // @field
    add<<<1, 256>>>(d_sums, d_field);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(field.data(), d_field, N * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_field));
    useOther(d_sums);
  }
  CHECK(cudaMemcpy(sums.data(), d_sums, 1024, cudaMemcpyDeviceToHost));
  printf("%08x %08x\n", checksum(sums), checksum(field));
  CHECK(cudaFree(d_sums));
}
