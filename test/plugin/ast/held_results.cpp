// What a line that calls a function is about: what receives the result, or the object that holds it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#include <memory>

class Buffer {
public:
  const float *onDevice(bool isWanted) {
    if (!isWanted)
      return nullptr;
    cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
    return device;
  }
  float *grown(size_t n) {
    cudaFree(device);
    return make(n);
  }
  float *made(size_t n) {
    float *result = device;
    if (n > 64)
      cudaMalloc(&result, n);
    return result;
  }
  struct View {
    View(float *at) : at(at) {}
    ~View() {}
    float *at;
  };
  View view(size_t from) {
    cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
    return from ? View(device + from) : View(nullptr);
  }

private:
  static float *make(size_t n) {
    float *p;
    cudaMalloc(&p, n);
    return p;
  }
  float *device, *host;
};

class Field {
public:
  const float *onDevice() { return buffer->onDevice(true); }

private:
  std::unique_ptr<Buffer> buffer;
};

// CHECK-DAG: caller Buffer::onDevice(true) -> a in use{{$}}
// CHECK-DAG: caller Field::onDevice() -> field in use{{$}}
// CHECK-DAG: caller Buffer::view(4) -> a in use{{$}}
// CHECK-DAG: caller Buffer::grown(128) -> grown : float in use [receives
// CHECK-DAG: caller Buffer::made(128) -> made : float in use [receives
float use(Buffer &a, Field &field) {
  const float *sent = a.onDevice(true);
  const float *behind = field.onDevice();
  Buffer::View part = a.view(4);
  float *grown = a.grown(128);
  float *made = a.made(128);
  return sent[0] + behind[0] + part.at[0] + grown[0] + made[0];
}
