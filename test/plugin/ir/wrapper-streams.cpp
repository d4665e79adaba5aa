// Wrappers that ask another function for their stream, or have the device set: neither is a job.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -O2 -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>

static void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw 1;
}

// CHECK-DAG: create cudaStreamCreate({{.*}} in currentStream [cuda-error{{.*}}]
cudaStream_t currentStream() {
  static thread_local cudaStream_t stream = nullptr;
  if (!stream)
    check(cudaStreamCreate(&stream));
  return stream;
}
cudaStream_t streamElsewhere(int device);

class Context {
public:
  static Context &get() {
    static Context context;
    return context;
  }
  cudaStream_t stream() const { return s; }

private:
  Context() { check(cudaStreamCreate(&s)); }
  cudaStream_t s;
};

// CHECK-DAG: copy cudaMemcpyAsync({{.*}} in send<float> [{{.*}}wrapper]
template <class T> void send(T *to, const T *from, size_t n) {
  check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyHostToDevice, currentStream()));
}
template void send(float *, const float *, size_t);
// CHECK-DAG: copy cudaMemcpyAsync({{.*}} in sendByContext [{{.*}}wrapper]
void sendByContext(float *to, const float *from, size_t n) {
  check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, Context::get().stream()));
}
// CHECK-DAG: copy cudaMemcpyAsync({{.*}} in sendAndWait [{{.*}}wrapper]
void sendAndWait(float *to, const float *from, size_t n) {
  cudaStream_t stream = n ? currentStream() : nullptr;
  check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, stream));
  check(cudaStreamSynchronize(stream));
}
// CHECK-DAG: copy cudaMemcpyAsync({{.*}} in sendIn [{{.*}}wrapper]
void sendIn(float *to, const float *from, size_t n, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, stream));
}
// CHECK-DAG: caller sendIn({{.*}} in sendInCurrent [wrapper]
void sendInCurrent(float *to, const float *from, size_t n) { sendIn(to, from, n, currentStream()); }
// CHECK-DAG: caller sendIn({{.*}} in sendInElsewhere [wrapper]
void sendInElsewhere(float *to, const float *from, size_t n) {
  sendIn(to, from, n, streamElsewhere(0));
}

// CHECK-DAG: set-device cudaSetDevice({{.*}} in setDevice [{{[^w]*}}]
void setDevice(int device) { check(cudaSetDevice(device)); }
// CHECK-DAG: set cudaMemset({{.*}} in clearOn [{{.*}}wrapper]
void clearOn(float *d, size_t n, int device) {
  setDevice(device);
  check(cudaMemset(d, 0, n));
}
struct DeviceGuard {
  explicit DeviceGuard(int device) {
    check(cudaGetDevice(&before));
    if (device != before)
      check(cudaSetDevice(device));
  }
  ~DeviceGuard() { cudaSetDevice(before); }
  int before;
};
// CHECK-DAG: alloc cudaMalloc({{.*}} in makeOn [{{.*}}wrapper]
float *makeOn(size_t n, int device) {
  DeviceGuard guard(device);
  float *d;
  check(cudaMalloc(&d, n));
  return d;
}

// What comes of the call is more than a stream, or no stream at all.
struct Staging {
  cudaStream_t stream;
  float *memory;
};
Staging *staging() {
  static Staging *made;
  if (!made) {
    made = new Staging;
    check(cudaStreamCreate(&made->stream));
    check(cudaMallocHost(&made->memory, 64));
  }
  return made;
}
// CHECK-DAG: copy cudaMemcpyAsync(to, {{.*}} in sendStaged [cuda-error async]
void sendStaged(float *to, size_t n) {
  Staging *by = staging();
  check(cudaMemcpyAsync(to, by->memory, n, cudaMemcpyHostToDevice, by->stream));
}
// CHECK-DAG: copy cudaMemcpyAsync(to, {{.*}} in sendPrepared [cuda-error async]
void prepare() { staging(); }
void sendPrepared(float *to, const float *from, size_t n) {
  prepare();
  check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, nullptr));
}
