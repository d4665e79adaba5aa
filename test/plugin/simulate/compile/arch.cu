// The newest GPU of the compile, or the one that simulate-arch names.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only --cuda-gpu-arch=sm_80 %instr -fplugin-arg-gpuinstr-simulate -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=NEWEST %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -fplugin-arg-gpuinstr-simulate-arch=sm_90 -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=NAMED %s
// NEWEST: store i32 800
// NAMED: store i32 900
#ifdef __CUDA_ARCH__
#define ARCH __CUDA_ARCH__
#else
#define ARCH 0
#endif
__global__ void arch(int *out) { *out = ARCH; }
