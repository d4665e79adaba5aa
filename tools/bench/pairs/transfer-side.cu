// One side of transfer-pairs: the same transfers, built once plain and once with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// -DSIDE=plainTransfers or -DSIDE=instrumentedTransfers names the entry point.
#include "TransferPairs.h"
#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr std::size_t ResultBytes = 4096;
constexpr int Kernels = 8; // of one step

__global__ void relax(const float *input, float *work, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    work[i] = 0.5f * work[i] + 0.25f * (input[i] + input[(i + 1) % n]);
}

int make(Workload &w, std::size_t bytes, bool pinned) {
  w.bytes = bytes;
  w.pinned = pinned;
  if (pinned) {
    if (cudaError_t error = cudaMallocHost(&w.host, bytes))
      return error;
  } else if (!(w.host = std::malloc(bytes))) {
    return cudaErrorMemoryAllocation;
  }
  auto *values = static_cast<unsigned *>(w.host);
  for (std::size_t i = 0; i < bytes / sizeof *values; ++i)
    values[i] = unsigned(i * 2654435761u) >> 9; // small positive floats, none alike
  if (cudaError_t error = cudaMalloc(&w.device, bytes))
    return error;
  if (cudaError_t error = cudaMalloc(&w.work, bytes))
    return error;
  if (cudaError_t error = cudaMemset(w.work, 0, bytes))
    return error;
  return cudaMallocHost(&w.result, ResultBytes);
}

int drop(Workload &w) {
  if (cudaError_t error = cudaFree(w.device))
    return error;
  if (cudaError_t error = cudaFree(w.work))
    return error;
  if (cudaError_t error = cudaFreeHost(w.result))
    return error;
  if (w.pinned)
    return cudaFreeHost(w.host);
  std::free(w.host);
  return 0;
}

int uploads(Workload &w, int count) {
  for (int i = 0; i < count; ++i)
    if (cudaError_t error = w.pinned
                                ? cudaMemcpyAsync(w.device, w.host, w.bytes, cudaMemcpyHostToDevice)
                                : cudaMemcpy(w.device, w.host, w.bytes, cudaMemcpyHostToDevice))
      return error;
  return cudaDeviceSynchronize();
}

int steps(Workload &w, int count) {
  const int n = int(w.bytes / sizeof(float));
  for (int i = 0; i < count; ++i) {
    static_cast<unsigned *>(w.host)[i % n] ^= 1; // each step has other input
    if (cudaError_t error = cudaMemcpyAsync(w.device, w.host, w.bytes, cudaMemcpyHostToDevice))
      return error;
    for (int k = 0; k < Kernels; ++k)
      relax<<<(n + 255) / 256, 256>>>(static_cast<float *>(w.device), static_cast<float *>(w.work),
                                      n);
    if (cudaError_t error = cudaMemcpyAsync(w.result, w.work, ResultBytes, cudaMemcpyDeviceToHost))
      return error;
    if (cudaError_t error = cudaStreamSynchronize(nullptr))
      return error;
  }
  return cudaGetLastError();
}

int rounds(Workload &w, int count) {
  const int n = int(w.bytes / sizeof(float));
  for (int i = 0; i < count; ++i) {
    float last = 0;
    relax<<<(n + 255) / 256, 256>>>(static_cast<float *>(w.device), static_cast<float *>(w.work),
                                    n);
    if (cudaError_t error = cudaMemcpy(&last, w.work, sizeof last, cudaMemcpyDeviceToHost))
      return error;
    static_cast<float *>(w.result)[0] = last;
  }
  return cudaGetLastError();
}

} // namespace

TransferSide SIDE() { return {make, drop, uploads, steps, rounds}; }
