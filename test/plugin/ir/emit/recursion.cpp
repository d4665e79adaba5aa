// A function that calls itself may lie on the stack many thousand times: each would hold a frame. Its calls take the
// short form of files with many sites, and so do those of functions that are inlined into it; others keep the common one.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr %verify -O0 -S -emit-llvm -o %t.ll %s
// RUN: %FileCheck %s --input-file %t.ll
// RUN: %clangxx %instr %verify -O2 -S -emit-llvm -o %t.2.ll %s
// RUN: %FileCheck %s --check-prefix=STACK --input-file %t.2.ll
// RUN: %build_trace
// RUN: %clangxx %instr %verify -O2 %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=TRACE %s
#include <cuda_runtime_api.h>

// CHECK-LABEL: define {{.*}}itself
// CHECK-NOT: alloca [{{[0-9]+}} x i8]
// CHECK: call i32 @__gpuinstr_site.cudaMemset
// CHECK: {{^}}}
// STACK-LABEL: define {{.*}}itself
// STACK-NOT: alloca [{{[0-9]+}} x i8]
// STACK: {{^}}}
extern "C" __attribute__((noinline)) int itself(int n, void *p) {
  return cudaMemset(p, n, 8) + (n ? itself(n - 1, p) + 1 : 0);
}

struct Node {
  void *data = nullptr;
  Node *next;
  explicit Node(Node *next) : next(next) { (void)cudaMalloc(&data, 8); }
  ~Node();
};
static void drop(Node *node) { (void)cudaFree(node->data); }
// STACK-LABEL: define {{.*}}NodeD2
// STACK-NOT: alloca [{{[0-9]+}} x i8]
// STACK: {{^}}}
Node::~Node() {
  drop(this);
  delete next;
}

// CHECK-LABEL: define {{.*}}drop
// CHECK: call i32 @__gpuinstr_site.cudaFree

// CHECK-LABEL: define {{.*}}once
// CHECK: alloca [{{[0-9]+}} x i8]
// CHECK: call i32 @cudaDeviceSynchronize
extern "C" int once() { return cudaDeviceSynchronize(); }

int main() {
  void *p;
  (void)cudaMalloc(&p, 8);
  itself(2, p);
  delete new Node(new Node(nullptr));
  once();
}
// TRACE: enter {{.*}} cudaMemset in itself {{.*}}<- recursion.cpp:{{[0-9]+}} main
// TRACE: enter {{.*}} cudaMemset in itself
// TRACE: enter {{.*}} cudaFree in drop {{.*}}<- recursion.cpp:{{[0-9]+}} Node::~Node
// TRACE: enter {{.*}} cudaDeviceSynchronize in once {{.*}}<- recursion.cpp:{{[0-9]+}} main
