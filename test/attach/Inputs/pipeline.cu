// A closed program with a cudart of its own, on two streams and out of pinned memory. By the
// argument: what it sends again, brings back or leaks, or the twin.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <vector>

constexpr size_t Count = 1 << 18, Bytes = Count * sizeof(float);

__global__ void add(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i];
}

static void send(float *to, const float *from, cudaStream_t stream) {
  cudaMemcpyAsync(to, from, Bytes, cudaMemcpyHostToDevice, stream); // SEND
}

int main(int, char **arguments) {
  const bool isTable = !std::strcmp(arguments[1], "table"),
             isTrip = !std::strcmp(arguments[1], "roundtrip"),
             isLeak = !std::strcmp(arguments[1], "leak");
  cudaStream_t streams[2];
  float *pinned[2], *inputs[2], *outputs[2], *table, *kept;
  std::vector<float> values(Count), back(Count);
  for (size_t i = 0; i < Count; ++i)
    values[i] = float(i);
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreate(&streams[i]);
    cudaMallocHost(&pinned[i], Bytes);
    cudaMalloc(&inputs[i], Bytes);
    cudaMalloc(&outputs[i], Bytes);
    cudaMemset(outputs[i], 0, Bytes);
  }
  cudaMalloc(&table, Bytes);
  cudaMemcpy(table, values.data(), Bytes, cudaMemcpyHostToDevice); // FIRST
  for (int step = 0; step < 24; ++step) {
    const int i = step % 2;
    cudaStreamSynchronize(streams[i]);
    for (size_t k = 0; k < Count; k += 64)
      pinned[i][k] = float(step + k);
    send(inputs[i], pinned[i], streams[i]);
    if (isTable)
      cudaMemcpy(table, values.data(), Bytes, cudaMemcpyHostToDevice); // TABLE
    add<<<Count / 256, 256, 0, streams[i]>>>(outputs[i], inputs[i], Count);
    add<<<Count / 256, 256, 0, streams[i]>>>(outputs[i], table, Count);
    if (isTrip) {
      cudaStreamSynchronize(streams[i]);
      cudaMemcpy(back.data(), outputs[i], Bytes, cudaMemcpyDeviceToHost);
      cudaMemcpy(outputs[i], back.data(), Bytes, cudaMemcpyHostToDevice); // BACK
    }
    if (isLeak) {
      cudaMallocAsync(&kept, 4096, streams[i]); // LEAK
      cudaMemsetAsync(kept, step, 4096, streams[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    cudaStreamSynchronize(streams[i]);
    cudaMemcpy(back.data(), outputs[i], Bytes, cudaMemcpyDeviceToHost);
    cudaFree(inputs[i]);
    cudaFree(outputs[i]);
    cudaFreeHost(pinned[i]);
    cudaStreamDestroy(streams[i]);
  }
  cudaFree(table);
  std::printf("%g\n", back[5]);
  return 0;
}
