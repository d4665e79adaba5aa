// The short form of files with many sites: functions that know different numbers of callers, as one
// that makes several members of its object does, share no helper. Each reads as many as its array
// has room for.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr %verify -O0 -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-compact=1
// RUN: %FileCheck %s --input-file %t.ll
// RUN: %clangxx %instr %verify -O0 -S -emit-llvm -o %t.2.ll %s -fplugin-arg-gpuinstr-compact=1 -fplugin-arg-gpuinstr-callers=2
// RUN: %FileCheck --check-prefix=TWO %s --input-file %t.2.ll
// The program is told the same calls, in the same order, by either form, and its stack stays as it
// is: what taken returns lies where main wants it.
// RUN: %build_trace
// RUN: %clangxx %instr %verify -O1 %s -o %t %cudart
// RUN: %traced %t 2>&1 | sed 's/ s0=[^ ]*//' > %t.common
// RUN: %clangxx %instr %verify -O1 %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1
// RUN: %traced %t 2>&1 | sed 's/ s0=[^ ]*//' > %t.compact
// RUN: diff %t.common %t.compact
// RUN: %FileCheck --check-prefix=TRACE %s --input-file %t.compact
#include <cuda_runtime.h>
#include <vector>

bool waited;
__attribute__((noinline)) void wait() { waited = cudaDeviceSynchronize() == cudaSuccess; }

struct Pair {
  void *data;
  cudaStream_t stream;
  Pair() {
    (void)cudaMalloc(&data, 8);
    (void)cudaStreamCreate(&stream);
    wait();
  }
  ~Pair() {
    (void)cudaFree(data);
    (void)cudaStreamDestroy(stream);
  }
};

__attribute__((noinline)) std::vector<int> taken(const Pair &from, int n) {
  wait();
  std::vector<int> to(n);
  (void)cudaMemset(from.data, 0, 8);
  for (int i = 0; i < n; ++i)
    to[i] = i;
  return to;
}

int main() {
  // TRACE: enter {{.*}} cudaMalloc in Pair::Pair {{.*}}<- compact-depths.cpp:[[#@LINE+1]] main
  Pair pair;
  // TRACE: enter {{.*}} cudaMemset in taken {{.*}}<- compact-depths.cpp:[[#@LINE+1]] main
  return taken(pair, 8)[7] == 7 ? 0 : 1;
}

// CHECK-LABEL: define {{.*}}_Z5takenRK4Pairi
// CHECK: [[TAKEN:%.*]] = alloca [2 x ptr]
// CHECK: call void @__gpuinstr_callers_at_entry(ptr [[TAKEN]], i64
// CHECK: call void @__gpuinstr_announce(i32 {{[0-9]+}}, ptr [[TAKEN]])
// CHECK: call void @__gpuinstr_announced(ptr [[TAKEN]])
// CHECK-LABEL: define {{.*}}_ZN4PairC2Ev
// CHECK: [[PAIR:%.*]] = alloca [3 x ptr]
// CHECK: call void @__gpuinstr_callers_at_entry.2(ptr [[PAIR]], i64
// CHECK: call void @__gpuinstr_announce.2(i32 {{[0-9]+}}, ptr [[PAIR]])
// CHECK: call void @__gpuinstr_announced.2(ptr [[PAIR]])
// TWO-LABEL: define {{.*}}_Z5takenRK4Pairi
// TWO: [[TAKEN:%.*]] = alloca [3 x ptr]
// TWO: call void @__gpuinstr_callers_at_entry.2(ptr [[TAKEN]], i64
// TWO-LABEL: define {{.*}}_ZN4PairC2Ev
// TWO: [[PAIR:%.*]] = alloca [3 x ptr]
// TWO: call void @__gpuinstr_callers_at_entry.2(ptr [[PAIR]], i64
