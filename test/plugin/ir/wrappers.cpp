// Which functions are wrappers, and which have a job of their own.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -O2 -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -fplugin-arg-gpuinstr-callers=0 -c %s -o %t.o | %FileCheck --check-prefix=NONE %s
// NONE-NOT: wrapper]
#include <cuda_runtime.h>
#include <memory>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess)                                                                     \
      throw 1;                                                                                     \
  } while (0)

void unknown(float *x);
float *table;

// CHECK-DAG: alloc cudaMalloc{{.*}} in Buffer<float>::Buffer [cuda-error wrapper]
// CHECK-DAG: free cudaFree{{.*}} in Buffer<float>::~Buffer [discarded cuda-error wrapper]
// CHECK-DAG: copy cudaMemcpy(this->ptr, {{.*}} in Buffer<float>::upload [cuda-error wrapper]
// CHECK-DAG: copy cudaMemcpy({{.*}}, this->ptr, {{.*}} in Buffer<float>::download [cuda-error wrapper]
// CHECK-DAG: copy cudaMemcpy({{.*}} in Buffer<float>::at [cuda-error receives wrapper]
// CHECK-DAG: set cudaMemset{{.*}} in Buffer<float>::clear [cuda-error wrapper]
// CHECK-DAG: sync-device cudaDeviceSynchronize{{.*}} in Buffer<float>::clear [cuda-error wrapper quiet-all quiet-out]
// CHECK-DAG: free cudaFree{{.*}} in Buffer<float>::resize [cuda-error wrapper]
// CHECK-DAG: alloc cudaMalloc{{.*}} in Buffer<float>::resize [cuda-error wrapper]
template <class T> class Buffer {
public:
  explicit Buffer(size_t n) : n(n) { CHECK(cudaMalloc(&ptr, n * sizeof(T))); }
  ~Buffer() { cudaFree(ptr); }
  void upload(const std::vector<T> &h) {
    CHECK(cudaMemcpy(ptr, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  void download(T *h) const { CHECK(cudaMemcpy(h, ptr, n, cudaMemcpyDeviceToHost)); }
  T at(size_t i) const {
    T value;
    CHECK(cudaMemcpy(&value, ptr + i, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  void clear() {
    CHECK(cudaMemset(ptr, 0, n * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
  }
  void resize(size_t to) {
    T *fresh = nullptr;
    CHECK(cudaFree(ptr));
    CHECK(cudaMalloc(&fresh, to * sizeof(T)));
    ptr = fresh;
    n = to;
  }

private:
  T *ptr = nullptr;
  size_t n;
};
template class Buffer<float>;

// Wrappers of a wrapper.
// CHECK-DAG: caller Buffer<float>::Buffer({{.*}} in Tensor::Tensor [{{.*}}wrapper]
// CHECK-DAG: caller Buffer<float>::upload({{.*}} in Tensor::set [wrapper]
struct Tensor {
  explicit Tensor(size_t n) : data(n) {}
  void set(const std::vector<float> &h) { data.upload(h); }
  Buffer<float> data;
};

// What a function gives to its caller is the caller's.
// CHECK-DAG: alloc cudaMalloc{{.*}} in allocate [cuda-error wrapper]
void *allocate(size_t bytes) {
  void *p = nullptr;
  CHECK(cudaMalloc(&p, bytes));
  return p;
}
// CHECK-DAG: alloc cudaMalloc{{.*}} in owned [{{.*}}wrapper]
struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
std::unique_ptr<float, Free> owned(size_t n) {
  float *p;
  cudaMalloc(&p, n);
  return std::unique_ptr<float, Free>(p);
}
// CHECK-DAG: alloc cudaMalloc{{.*}} in intoParameter [cuda-error wrapper]
void intoParameter(float **out, size_t n) { CHECK(cudaMalloc(out, n)); }
// CHECK-DAG: caller allocate({{.*}} in floats [receives wrapper]
float *floats(size_t n) { return static_cast<float *>(allocate(n * 4)); }

// CHECK-DAG: sync-stream cudaStreamSynchronize{{.*}} in wait [cuda-error wrapper quiet-all quiet-out]
void wait(cudaStream_t stream) { CHECK(cudaStreamSynchronize(stream)); }

// What names the memory stays.
// CHECK-DAG: caller allocate({{.*}} in Mesh::build [receives]
struct Mesh {
  void build() { nodes = allocate(64); }
  void *nodes;
};
// Several of one function, in the members of what is returned or given: each line has its own.
// CHECK-DAG: caller made({{.*}} -> layer.weights : float in makeLayer [receives]
// CHECK-DAG: caller made({{.*}} -> layer.bias : float in makeLayer [receives]
struct Layer {
  float *weights, *bias;
};
float *made(size_t n) {
  float *p;
  CHECK(cudaMalloc(&p, n));
  return p;
}
Layer makeLayer(size_t n) {
  Layer layer = {};
  layer.weights = made(n);
  layer.bias = made(n);
  return layer;
}
// CHECK-DAG: caller made({{.*}} -> layer->bias : float in fillLayer [receives]
void fillLayer(Layer *layer, size_t n) {
  layer->weights = made(n);
  layer->bias = made(n);
}
// CHECK-DAG: alloc cudaMalloc({{.*}} -> layer->weights : float in allocLayer [cuda-error receives]
// CHECK-DAG: alloc cudaMalloc({{.*}} -> layer->bias : float in allocLayer [cuda-error receives]
Layer *allocLayer(size_t n) {
  auto *layer = new Layer;
  CHECK(cudaMalloc(&layer->weights, n));
  CHECK(cudaMalloc(&layer->bias, n));
  return layer;
}
// One alone has the caller's name, and so have members of what was given.
// CHECK-DAG: caller made({{.*}} -> layer.bias : float in biasOnly [receives wrapper]
Layer biasOnly(size_t n) {
  Layer layer = {};
  layer.bias = made(n);
  return layer;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} -> layer->weights : float in allocInto [cuda-error wrapper]
void allocInto(Layer *layer, size_t n) {
  CHECK(cudaMalloc(&layer->weights, n));
  CHECK(cudaMalloc(&layer->bias, n));
}
// Through a virtual function or a pointer, whichever function it is.
// CHECK-DAG: caller Sink::put({{.*}} in viaSink [wrapper quiet-all quiet-out]
struct Sink {
  virtual void put(float *x);
};
void viaSink(Sink &sink, float *x) { sink.put(x); }
// CHECK-DAG: caller use({{.*}} in viaPointer [wrapper]
void viaPointer(void (*use)(float *), float *x) { use(x); }
// CHECK-DAG: caller use({{.*}} in ofItsOwn{{$}}
void ofItsOwn(float *x) {
  void (*use)(float *) = unknown;
  use(x);
}

// A kernel that was given.
// CHECK-DAG: launch cudaLaunchKernel(kernel,{{.*}} in launch [{{.*}}wrapper]
void launch(const void *kernel, void **arguments) {
  CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0));
}
// CHECK-DAG: launch cudaLaunchKernel({{.*}} in launchOwn [cuda-error async]
void launchOwn(void **arguments) {
  CHECK(cudaLaunchKernel((const void *)launchOwn, dim3(1), dim3(1), arguments, 0, 0));
}
// CHECK-DAG: graph-launch cudaGraphLaunch({{.*}} in replay [{{.*}}wrapper]
void replay(cudaGraphExec_t exec, cudaStream_t stream) { CHECK(cudaGraphLaunch(exec, stream)); }

// Its own memory.
// CHECK-DAG: alloc cudaMalloc{{.*}} in scratch [cuda-error]
// CHECK-DAG: free cudaFree{{.*}} in scratch [cuda-error]
void scratch(size_t n) {
  float *tmp;
  CHECK(cudaMalloc(&tmp, n));
  unknown(tmp);
  CHECK(cudaFree(tmp));
}
// CHECK-DAG: copy cudaMemcpy{{.*}} in setTable [cuda-error]
void setTable(const float *h) { CHECK(cudaMemcpy(table, h, 64, cudaMemcpyHostToDevice)); }
// In a loop.
// CHECK-DAG: copy cudaMemcpy{{.*}} in repeat [cuda-error]
void repeat(float *d, const float *h, int times) {
  for (int i = 0; i < times; ++i)
    CHECK(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
}
// CHECK-DAG: caller Buffer<float>::upload({{.*}} -> b in train{{$}}
void train(Buffer<float> &b, const std::vector<float> &h) {
  while (h.size())
    b.upload(h);
}
// More than two of a kind.
// CHECK-DAG: copy cudaMemcpy(a, {{.*}} in three [cuda-error]
void three(float *a, float *b, float *c, const float *h) {
  CHECK(cudaMemcpy(a, h, 64, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, h, 64, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(c, h, 64, cudaMemcpyHostToDevice));
}
// There and back.
// CHECK-DAG: copy cudaMemcpy(h, d, {{.*}} in exchange [cuda-error]
void exchange(float *d, float *h) {
  CHECK(cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
}
// Calls what has a job.
// CHECK-DAG: copy cudaMemcpy{{.*}} in work [cuda-error]
void work(float *d, const float *h) {
  CHECK(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
  repeat(d, h, 3);
}
// What a lambda captured belongs to the function around it; its parameters do not.
// CHECK-DAG: copy cudaMemcpy(d, h,{{.*}} in captures::lambda [cuda-error]
// CHECK-DAG: set cudaMemset{{.*}} in captures::lambda [cuda-error wrapper]
void captures(float *d, const float *h) {
  auto copy = [&] { CHECK(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice)); };
  auto zero = [](float *x) { CHECK(cudaMemset(x, 0, 64)); };
  copy();
  zero(d);
}

int main() {
  Tensor t(4);
  t.set({});
  Mesh m;
  m.build();
  floats(1);
}
