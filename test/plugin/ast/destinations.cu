// The variable that an allocation lands in, and its element type, through casts, members,
// subscripts, references, out-parameters and wrappers.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#include <memory>
#include <vector>
using real = double;
struct Particle {
  float x, y;
};
struct Inner {
  int *data;
};
struct Box {
  float *buf;
  Inner inner;
  static char *shared;
  union {
    short *in_union;
  };
  std::unique_ptr<float> held;
  std::shared_ptr<Particle[]> common;
  void fill(size_t n) {
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMalloc({{.*}}) variable=this->buf type=float discarded
    cudaMalloc((void **)&buf, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMalloc({{.*}}) variable=this->buf type=float
    cudaMalloc(&this->buf, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMalloc({{.*}}) variable=this->inner.data type=int
    cudaMalloc(reinterpret_cast<void **>(&inner.data), n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMalloc({{.*}}) variable=shared type=char
    cudaMalloc(&shared, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMalloc({{.*}}) variable=this->in_union type=short
    cudaMalloc(&in_union, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMemset({{.*}}) variable=this->held.get() type=float
    cudaMemset(held.get(), 0, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMemset({{.*}}) variable=this->common.get() type=Particle
    cudaMemset(common.get(), 0, n);
    // CHECK-DAG: [[@LINE+1]]:5 Box::fill calls cudaMemset({{.*}}) variable=get() type=float
    cudaMemset(get(), 0, n);
  }
  float *get() { return buf; }
};
char *Box::shared;
__constant__ float table[16];

void through(float **out, float *&ref, void **untyped, Box *box, std::vector<float *> &list, int i) {
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=*out type=float
  cudaMalloc(out, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=*out type=float
  cudaMalloc((void **)out, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=*out type=float
  cudaMalloc(&*out, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=out[i] type=float
  cudaMalloc(out + i, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=ref type=float
  cudaMalloc(&ref, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=*untyped type=void
  cudaMalloc(untyped, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=box->buf type=float
  cudaMalloc(&box->buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=box[2].inner.data type=int
  cudaMalloc(&box[2].inner.data, 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=list[i + 1] type=float
  cudaMalloc((void **)&list[i + 1], 4);
  // CHECK-DAG: [[@LINE+1]]:3 through calls cudaMalloc({{.*}}) variable=ref type=float
  cudaMalloc(std::addressof(ref), 4);
}

void parenthesised(Box **boxes, float ***rows, Box *a, bool first) {
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(*boxes)->buf type=float
  cudaMalloc(&(*boxes)->buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=*(*boxes)->buf discarded
  cudaMalloc((void **)(*boxes)->buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=a->inner.data type=int
  cudaMalloc(&(*a).inner.data, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(*boxes)->buf type=float
  cudaMalloc(&(**boxes).buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(*rows)[2] type=float
  cudaMalloc(&(*rows)[2], 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=*rows[2] type=float
  cudaMalloc(&*rows[2], 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(a + 1)->buf type=float
  cudaMalloc(&(a + 1)->buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=*(*rows + 1) type=float
  cudaMalloc(&*(*rows + 1), 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(first ? a : *boxes)->buf type=float
  cudaMalloc(&(first ? a : *boxes)->buf, 4);
  // CHECK-DAG: [[@LINE+1]]:3 parenthesised calls cudaMalloc({{.*}}) variable=(*rows)[1] type=float
  cudaMalloc(*rows + 1, 4);
}

std::shared_ptr<float> made(size_t n);
std::shared_ptr<void> asMade(std::shared_ptr<float> from);

void assigned(size_t n) {
  std::shared_ptr<float> owner;
  // CHECK-DAG: [[@LINE+1]]:11 assigned calls made({{.*}}) variable=owner{{.*}}
  owner = made(n);
  std::shared_ptr<float> owners[2];
  // CHECK-DAG: [[@LINE+1]]:15 assigned calls made({{.*}}) variable=owners[1]{{.*}}
  owners[1] = made(n + 1);
  std::shared_ptr<void> other;
  // Of another class: what becomes of it, nobody says here.
  // CHECK-DAG: [[@LINE+1]]:11 assigned calls made(n + 2){{$}}
  other = made(n + 2);
  // CHECK-DAG: [[@LINE+1]]:18 assigned calls made(n + 3){{$}}
  other = asMade(made(n + 3));
}

int main() {
  real *typed;
  Particle *particles;
  float *pointers[4];
  auto deduced = (int *)nullptr;
  CUdeviceptr address;
  auto smart = std::make_unique<Box>();
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=typed type=real
  cudaMalloc(&typed, 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=particles type=Particle
  cudaMalloc(&particles, 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=pointers[2] type=float
  cudaMalloc((void **)&pointers[2], 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=pointers[0] type=float
  cudaMalloc(pointers, 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=deduced type=int
  cudaMalloc(&deduced, 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=address discarded
  cudaMalloc((void **)&address, 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc({{.*}}) variable=smart->buf type=float
  cudaMalloc(&smart->buf, 4);
  cudaStream_t stream;
  cudaPitchedPtr pitched;
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaStreamCreate({{.*}}) variable=stream type=cudaStream_t
  cudaStreamCreate(&stream);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMalloc3D({{.*}}) variable=pitched type=cudaPitchedPtr
  cudaMalloc3D(&pitched, cudaExtent{1, 2, 3});

  // Copies and sets: the destination's buffer, wherever in it they start.
  std::vector<float> host(4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMemcpy({{.*}}) variable=typed type=real
  cudaMemcpy(typed + 3, host.data(), 4, cudaMemcpyHostToDevice);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMemcpy({{.*}}) variable=particles type=Particle
  cudaMemcpy(&particles[7], host.data(), 4, cudaMemcpyHostToDevice);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMemcpy({{.*}}) variable=host.data() type=float
  cudaMemcpy(host.data(), typed, 4, cudaMemcpyDeviceToHost);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMemcpyToSymbol({{.*}}) variable=table type=float
  cudaMemcpyToSymbol(table, host.data(), 4);
  // CHECK-DAG: [[@LINE+1]]:3 main calls cudaMemsetAsync({{.*}}) variable=smart->inner.data type=int
  cudaMemsetAsync(smart->inner.data, 0, 4, stream);
  smart->fill(1);
  return 0;
}
// CHECK: joined {{[0-9]+}}, unjoined 0
