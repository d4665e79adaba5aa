// Memory that is sent to the device when somebody asks for its address there: it is the member of the
// object that was asked, whatever the address is put into.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven line=@forward via=@send variable=layer.weights.data->device count=4
// EXPECT: noop-copy proven line=@forward via=@send variable=layer.bias.data->device count=4
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <memory>
#include <vector>

class Synced {
public:
  explicit Synced(size_t n) : host(n), isNew(true) { CHECK(cudaMalloc(&device, n * sizeof(float))); }
  ~Synced() { CHECK(cudaFree(device)); }
  const void *onDevice() {
    send();
    return static_cast<const void *>(device);
  }
  float *onHost() {
    isNew = true;
    return host.data();
  }

private:
  void send() {
    if (isNew)
      CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice)); // @send
    isNew = false;
  }
  std::vector<float> host;
  float *device = nullptr;
  bool isNew;
};

template <class T> class Blob {
public:
  explicit Blob(size_t n) : data(std::make_shared<Synced>(n)) {}
  const T *onDevice() const { return static_cast<const T *>(data->onDevice()); }
  T *onHost() { return data->onHost(); }

private:
  std::shared_ptr<Synced> data;
};

struct Layer {
  Blob<float> weights{1024}, bias{512};
};

static void fill(Layer &layer) {
  float *weights = layer.weights.onHost(), *bias = layer.bias.onHost();
  for (int i = 0; i < 1024; ++i)
    weights[i] = float(i % 9);
  for (int i = 0; i < 512; ++i)
    bias[i] = float(i % 5);
}

struct View {
  const float *weights, *bias;
};
static View forward(Layer &layer) {
  const float *w = layer.weights.onDevice();
  const float *b = layer.bias.onDevice();
  return {w, b};
}

int main() {
  Layer layer;
  View view = {};
  for (int round = 0; round < 5; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      fill(layer);
    view = forward(layer); // @forward
  }
  float back[2];
  CHECK(cudaMemcpy(&back[0], view.weights + 3, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&back[1], view.bias + 4, sizeof(float), cudaMemcpyDeviceToHost));
  printf("%g %g\n", back[0], back[1]);
}
