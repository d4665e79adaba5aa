// Under nvcc the arguments, lines and columns come from the file that the user wrote, not from what
// cudafe++ made of it; kernels are known by their host functions.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc -std=c++17 --extended-lambda %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>
#include <vector>
#define N 1024
#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t e = (call);                                                                        \
    if (e != cudaSuccess)                                                                          \
      std::printf("%s %s\n", #call, cudaGetErrorString(e));                                        \
  } while (0)
template <class T> __global__ void scale(T *x, T by, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] *= by;
}
namespace ns {
template <int K> __global__ void fixed(int *p) { p[0] = K; }
} // namespace ns
__global__ void plain(int *where) { where[0] = 1; }
struct Box {
  float *buf;
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:32 Box::alloc calls cudaMalloc((void **)&buf | n) variable=this->buf type=float{{$}}
  void alloc(size_t n) { CHECK(cudaMalloc((void **)&buf, n)); }
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:12 Box::~Box calls cudaFree(buf) variable=this->buf type=float discarded
  ~Box() { cudaFree(buf); }
  std::vector<std::shared_ptr<int>> several;
  std::shared_ptr<float> held; // cudafe++ writes (held).get()
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:18 Box::clear calls cudaMemset(held.get() | 0 | 4) variable=this->held.get()
  void clear() { cudaMemset(held.get(), 0, 4); }
};
template <class T> struct Vector {
  T *data;
  void upload(const T *from) { cudaMemcpy(data, from, 64, cudaMemcpyDefault); }
};
inline int make(size_t) { return 0; }
template <class T, class... More> int make(size_t n, T *&first, More *&...more) {
  cudaMalloc(&first, n);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:10 make<int, float> calls make<float>(n | more)
  return make(n, more...);
}
#define TWO(p) plain<<<1, 1>>>(p); plain<<<2, 2>>>(p)
int main() {
  float *d_x, *ptrs[4];
  int *q;
  // CHECK-DAG: real_source.cu:[[@LINE+2]]:7 main calls cudaMalloc(&d_x | N * sizeof(float)) variable=d_x type=float{{$}}
  CHECK(
      cudaMalloc(&d_x,
                 N * sizeof(float)));
  // CHECK-DAG: real_source.cu:[[@LINE+2]]:3 main calls cudaMalloc((void **)&ptrs[1] | 0x10u) variable=ptrs[1] type=float discarded
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:41 main calls cudaMalloc(&q | 4 + 1'000) variable=q type=int discarded
  cudaMalloc((void **)&ptrs[1], 0x10u); cudaMalloc(&q, 4 /* ) */ + 1'000);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:3 main calls scale<float>(d_x | 2.0f | N) launch{{$}}
  scale<float><<<dim3(N / 256), 256>>>(d_x, 2.0f, N);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:3 main calls scale<float>(d_x | 3.f | (int)N) launch{{$}}
  scale<<<dim3((N + 255) / 256, 1),
          dim3(256), 0, 0>>>(d_x,
                             3.f, (int)N);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:7 main calls ns::fixed<3>(q) launch
  ns::fixed<3><<<1, 1>>>(q);
  // No name of the callee in the text: no column, arguments as cudafe++ has them.
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:0 main calls plain(q) launch{{$}}
  TWO(q);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:3 main calls cudaMemcpy(ptrs[0] + 3 | d_x | N | cudaMemcpyDefault) variable=ptrs[0] type=float discarded ignore='noop-copy test'
  cudaMemcpy(ptrs[0] + 3, d_x, N, cudaMemcpyDefault); // gpuinstr-ignore: noop-copy test
  auto pointer = plain;
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:3 main calls pointer(q) launch
  pointer<<<1, 1>>>(q);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:14 main calls cudaMemset(d_x | '(' | sizeof(float) * N) variable=d_x type=float discarded
  if (N > 3) cudaMemset(d_x, '(', sizeof(float) * N); else cudaMemset(d_x, 1, 3);
  Box box;
  box.clear();
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:7 main calls Box::alloc(N * 3) variable=box
  box.alloc(N * 3);
  Vector<std::shared_ptr<int>> pointers;
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:12 main calls Vector<std::shared_ptr<int>>::upload(&box.several.front()) variable=pointers
  pointers.upload(&box.several.front());
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:3 main calls make<int, float>(4 | q | d_x)
  make(4, q, d_x);
  // CHECK-DAG: real_source.cu:[[@LINE+1]]:10 main calls cudaDeviceSynchronize(){{$}}
  return cudaDeviceSynchronize();
}
// CHECK-DAG: kernel plain {{.*}}real_source.cu:{{[0-9]+}} stub=_Z5plainPi
// CHECK-DAG: parameter where : int * 8 pointer write
// CHECK-DAG: kernel ns::fixed<3> {{.*}}
// CHECK: joined {{[0-9]+}}, unjoined 0
