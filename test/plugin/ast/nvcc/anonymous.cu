// nvcc gives an anonymous namespace a name, with -rdc a new one each time: its functions are found, and readers and
// comparisons of two runs get what clang says.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: rm -f %t.o %t.nvcc.o %t.rdc.o
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck --implicit-check-not=:_GLOBAL_ %s < %t.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -dc %s -o %t.rdc.o > %t.txt
// RUN: %FileCheck --implicit-check-not=:_GLOBAL_ %s < %t.txt
#include <cuda_runtime.h>
namespace {
struct Cell {
  int i;
};
__global__ void hidden(int *p) {}
template <class T> __global__ void filled(T *p, T v) {}
Cell *made() {
  Cell *cells;
  // CHECK-DAG: (anonymous namespace)::made calls cudaMalloc({{.*}} variable=cells type=Cell discarded{{$}}
  cudaMalloc(&cells, 64);
  return cells;
}
} // namespace
namespace outer {
namespace {
__global__ void inner(int n) {}
} // namespace
namespace v2 {
namespace {
// CHECK-DAG: outer::v2::(anonymous namespace)::given calls cudaFree(p) variable=p type=Cell discarded{{$}}
void given(Cell *p) { cudaFree(p); }
} // namespace
} // namespace v2
void launches() {
  Cell *cells = made();
  v2::given(cells);
  // CHECK-DAG: outer::launches calls (anonymous namespace)::hidden(
  hidden<<<1, 1>>>(nullptr);
  // CHECK-DAG: outer::launches calls (anonymous namespace)::filled<Cell>(
  filled<<<1, 1>>>(cells, Cell{3});
  // CHECK-DAG: outer::launches calls outer::(anonymous namespace)::inner(
  inner<<<1, 1>>>(1);
}
} // namespace outer
// CHECK-DAG: kernel (anonymous namespace)::hidden
// CHECK-DAG: kernel (anonymous namespace)::filled<Cell>
// CHECK-DAG: kernel outer::(anonymous namespace)::inner
