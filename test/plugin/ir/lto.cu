// Full and thin LTO: two units, rewritten once each, one table in the image.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: lld
// RUN: %build_trace
// RUN: %clangxx_cuda %instr -O2 -flto -fuse-ld=lld %s %S/Inputs/other.cpp -x none -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx_cuda %instr -O2 -flto=thin -fuse-ld=lld %s %S/Inputs/other.cpp -x none -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// The pass does nothing when the linker runs it again on what it has already rewritten.
// RUN: %clangxx_cuda --cuda-host-only %instr -O2 -flto -c %s -o %t.bc
// RUN: %clangxx_plain -x ir %t.bc %passplugin -O2 -S -emit-llvm -o %t.again.ll
// RUN: %FileCheck --check-prefix=ONCE %s < %t.again.ll
// ONCE: @__gpuinstr_sites =
// ONCE-NOT: @__gpuinstr_sites.
void *allocate(size_t n);
__global__ void k(void *p) {}
// CHECK-DAG: register lto.cu
// CHECK-DAG: register other.cpp
// CHECK: enter other.cpp:{{[0-9]+}} op=4 cudaMalloc in allocate {{.*}}s2=10 <- lto.cu:[[#@LINE+3]] main
// CHECK: enter lto.cu:[[#@LINE+3]] op=19 k in main
int main() {
  void *p = allocate(16);
  k<<<1, 1>>>(p);
}
