// A training step as small language models have it: layer norm, products, activation, soft maximum,
// optimizer. What it computes does not matter, how its kernels differ does.
// SPDX-License-Identifier: Apache-2.0
#include "truth-step.h"

namespace {

constexpr int Tokens = 256, Channels = 256, Hidden = 4 * Channels, Layers = 2;
constexpr int Weights = 2 * Channels * Hidden;

/// out[Tokens][columns] = in[Tokens][inner] * weights[inner][columns]
__device__ void multiply(float *out, const float *in, const float *weights, int inner,
                         int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, token = blockIdx.y;
  float sum = 0;
  for (int i = 0; i < inner; ++i)
    sum += in[token * inner + i] * weights[i * columns + column];
  out[token * columns + column] = sum;
}

} // namespace

extern "C" {

__global__ void step_layernorm(float *out, const float *in) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= Tokens)
    return;
  float mean = 0, variance = 0;
  for (int c = 0; c < Channels; ++c)
    mean += in[token * Channels + c];
  mean /= Channels;
  for (int c = 0; c < Channels; ++c) {
    const float off = in[token * Channels + c] - mean;
    variance += off * off;
  }
  const float scale = rsqrtf(variance / Channels + 1e-5f);
  for (int c = 0; c < Channels; ++c)
    out[token * Channels + c] = (in[token * Channels + c] - mean) * scale;
}

__global__ void step_product_up(float *out, const float *in, const float *weights) {
  multiply(out, in, weights, Channels, Hidden);
}
__global__ void step_product_down(float *out, const float *in, const float *weights) {
  multiply(out, in, weights, Hidden, Channels);
}

__global__ void step_gelu(float *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= 0.5f * (1 + tanhf(0.79788456f * values[i]));
}

__global__ void step_residual(float *out, const float *in, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = 0.5f * (out[i] + in[i]);
}

__global__ void step_softmax(float *values, int columns) {
  float *row = values + blockIdx.x * columns;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += __expf(row[c]);
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    row[c] = __expf(row[c]) / sum;
}

__global__ void step_adamw(float *weights, float *mean, float *square, const float *gradient,
                           int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float g = gradient[i % (Tokens * Channels)];
  mean[i] = 0.9f * mean[i] + 0.1f * g;
  square[i] = 0.999f * square[i] + 0.001f * g * g;
  weights[i] -= 1e-4f * (mean[i] / (sqrtf(square[i]) + 1e-8f) + 0.01f * weights[i]);
}

} // extern "C"

namespace {

struct Buffers {
  float *stream, *normal, *hidden, *weights, *mean, *square;
};

void layer(const Buffers &b) {
  const int values = Tokens * Channels;
  step_layernorm<<<Tokens / 64, 64>>>(b.normal, b.stream);
  step_product_up<<<dim3(Hidden / 256, Tokens), 256>>>(b.hidden, b.normal, b.weights);
  step_gelu<<<Tokens * Hidden / 256, 256>>>(b.hidden, Tokens * Hidden);
  step_product_down<<<dim3(Channels / 256, Tokens), 256>>>(b.normal, b.hidden,
                                                           b.weights + Channels * Hidden);
  step_residual<<<values / 256, 256>>>(b.stream, b.normal, values);
}

} // namespace

cudaError_t trainingSteps(int steps) {
  constexpr int Values = 2 * Tokens * Channels + Tokens * Hidden + 3 * Weights;
  float *block;
  if (cudaError_t error = cudaMalloc(&block, Values * sizeof(float)))
    return error;
  if (cudaError_t error = cudaMemset(block, 0, Values * sizeof(float)))
    return error;
  Buffers b = {};
  b.stream = block;
  b.normal = b.stream + Tokens * Channels;
  b.hidden = b.normal + Tokens * Channels;
  b.weights = b.hidden + Tokens * Hidden;
  b.mean = b.weights + Weights;
  b.square = b.mean + Weights;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < Layers; ++i)
      layer(b);
    step_softmax<<<Tokens, 64>>>(b.stream, Channels);
    step_adamw<<<Weights / 256, 256>>>(b.weights, b.mean, b.square, b.stream, Weights);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(block);
  return error;
}
