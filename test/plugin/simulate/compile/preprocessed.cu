// A unit without device source says so once, and its record too: the simulator names it at a launch.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only -E %s -o %t.cui
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O1 -S -emit-llvm -x cuda-cpp-output %t.cui -o %t.ll 2>&1 | %FileCheck --check-prefix=SAYS %s
// RUN: %FileCheck %s < %t.ll
// SAYS: gpuinstr: simulate: {{.*}}preprocessed.cu.tmp.cui: its kernels will not run on the simulator: it was compiled from preprocessed source
// CHECK: c"it was compiled from preprocessed source, which holds the host's code alone\00"
// CHECK: @__gpuinstr_sim_module = {{.*}}i32 0, i32 0, i32 0,
__global__ void kernel(int *out) { *out = 1; }
