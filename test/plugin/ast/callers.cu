// Calls of the program's own functions are described too: they become callers.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#include <memory>
template <class T> struct Buffer {
  T *data;
  explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  Buffer(Buffer &&) = delete;
  ~Buffer() { cudaFree(data); }
  void grow(size_t n) { cudaMalloc(&data, n); }
  T *operator[](int i) {
    cudaDeviceSynchronize();
    return data + i;
  }
  void *operator new(size_t n) { return ::operator new(n); }
};
struct Derived : Buffer<int> {
  // CHECK-DAG: [[@LINE+2]]:15 Derived::Derived calls Buffer<int>::Buffer(3)
  // CHECK-DAG: [[@LINE+1]]:31 Derived::Derived calls Buffer<float>::Buffer(4) variable=this->second
  Derived() : Buffer<int>(3), second(4) {}
  Buffer<float> second;
};
struct Virtual {
  virtual void run() { cudaDeviceSynchronize(); }
  virtual ~Virtual() = default;
};
float *make(int n) {
  float *p;
  cudaMalloc(&p, n);
  return p;
}
cudaError_t give(float **p) { return cudaMalloc(p, 1); }
// CHECK-DAG: [[@LINE+1]]:15 initializer of global calls Buffer<int>::Buffer(100) variable=global type=Buffer<int>
Buffer<int>   global(100);
// CHECK-DAG: [[@LINE+1]]:27 initializer of from_call calls make(7) variable=from_call type=float
static float *from_call = make(7);

void all(Virtual &v, void (*pointer)(int), Buffer<int> &b) {
  // CHECK-DAG: [[@LINE+1]]:17 all calls Buffer<float>::Buffer(8) variable=first type=Buffer<float>
  Buffer<float> first(8);
  // CHECK-DAG: [[@LINE+1]]:9 all calls Buffer<float>::grow(9) variable=first{{$}}
  first.grow(9);
  // CHECK-DAG: [[@LINE+1]]:3 all calls Buffer<float>::operator[](2) variable=first
  first[2];
  // CHECK-DAG: [[@LINE+1]]:30 all calls Buffer<double>::Buffer(10) variable=heap type=Buffer<double>
  Buffer<double> *heap = new Buffer<double>(10);
  // CHECK-DAG: [[@LINE-1]]:26 all calls Buffer<double>::operator new() variable=heap type=Buffer<double>
  // CHECK-DAG: [[@LINE+1]]:3 all calls Buffer<double>::~Buffer() variable=heap type=Buffer<double>
  delete heap;
  // CHECK-DAG: [[@LINE+1]]:15 all calls make(11) variable=made type=float
  auto made = make(11);
  // CHECK-DAG: [[@LINE+1]]:10 all calls make(12) variable=made type=float
  made = make(12);
  // CHECK-DAG: [[@LINE+1]]:3 all calls give(&made) variable=made type=float discarded
  give(&made);
  // CHECK-DAG: [[@LINE+1]]:5 all calls Virtual::run() variable=v
  v.run();
  // CHECK-DAG: [[@LINE+1]]:3 all calls pointer(13)
  pointer(13);
  // CHECK-DAG: [[@LINE+1]]:11 all calls Derived::Derived() variable=derived type=Derived
  Derived derived;
}
// As cudafe++ writes it.
namespace store {
template <class T> struct Box {
  T *data;
  explicit Box(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
};
} // namespace store
template <class T> struct Field {
  store::template Box<T> box;
  // CHECK-DAG: [[@LINE+1]]:13 Field<float>::Field calls store::Box<float>::Box(16) variable=this->box type=store::Box<float>{{$}}
  Field() : box(16) {}
};
Field<float> field;
int main() { return 0; }
// CHECK: joined {{[0-9]+}}, unjoined 0
