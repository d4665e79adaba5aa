// The device's own compile knows nothing of it, and without the option nothing is carried.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-device-only %instr -O2 -S %s -o %t.plain.ptx
// RUN: %clangxx_cuda --cuda-device-only %instr -fplugin-arg-gpuinstr-simulate -O2 -S %s -o %t.simulate.ptx
// RUN: diff %t.plain.ptx %t.simulate.ptx
// RUN: %clangxx_cuda --cuda-host-only %instr -O2 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-NOT: gpuinstr_sim

// C++ that is no CUDA carries nothing either, and says nothing.
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-simulate -x c++ -DPLAIN -O2 -S -emit-llvm %s -o - 2>&1 | %FileCheck %s
#ifndef PLAIN
__global__ void square(float *data) { data[threadIdx.x] *= data[threadIdx.x]; }
void run(float *data) { square<<<1, 32>>>(data); }
#else
int unrelated() { return 1; }
#endif
