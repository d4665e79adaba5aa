// A constructor with a job of its own clears what its object has. It is called for two members of
// another object: they have their names, as their memory has.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: dead-copy likely function=Field::Field line=@clear variable=this->weights.parts[0] caller=@model
// EXPECT: dead-copy likely function=Field::Field line=@clear variable=this->bias.parts[0] caller=@model
// EXPECT-NO: dead-copy variable=this->parts*
// EXPECT-NO[twin]: dead-copy
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <vector>

struct Field {
  explicit Field(size_t n) : n(n) {
    for (float *&part : parts)
      CHECK(cudaMalloc(&part, n * sizeof(float)));
#ifndef FIXED
    CHECK(cudaMemset(parts[0], 0, n * sizeof(float))); // @clear
#endif
  }
  ~Field() {
    for (float *part : parts)
      CHECK(cudaFree(part));
  }
  void send(const std::vector<float> &from) {
    for (float *part : parts)
      CHECK(cudaMemcpy(part, from.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
  float sum() const {
    std::vector<float> back(n);
    float all = 0;
    for (float *part : parts) {
      CHECK(cudaMemcpy(back.data(), part, n * sizeof(float), cudaMemcpyDeviceToHost));
      all += back[3];
    }
    return all;
  }
  float *parts[2];
  size_t n;
};

struct Model {
  explicit Model(size_t n) : weights(n), bias(n) {} // @model
  Field weights, bias;
};

int main() {
  const size_t n = 4096;
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = float(i % 13);
  Model model(n);
  model.weights.send(values);
  values[3] = 5;
  model.bias.send(values);
  printf("%g\n", model.weights.sum() + model.bias.sum());
}
