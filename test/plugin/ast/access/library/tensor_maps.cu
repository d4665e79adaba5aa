// A tensor map among a kernel's arguments holds an address that CUDA's functions write by.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl, nvcc
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_90 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_runtime.h>

struct Shapes {
  CUtensorMap map;
  int n;
};

// CHECK: kernel whole
// CHECK-NEXT: parameter map : {{.*}}CUtensorMap 128 unknown{{$}}
__global__ void whole(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[64];
  int at[1] = {0};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, &map, at, tile);
}
// CHECK: kernel part
// CHECK-NEXT: parameter shapes : {{.*}}Shapes {{[0-9]+}} unknown{{$}}
__global__ void part(const __grid_constant__ Shapes shapes) {
  __shared__ alignas(128) float tile[64];
  int at[1] = {0};
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, &shapes.map, at,
                                  tile);
}
// CHECK: kernel unused {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter map : {{.*}}CUtensorMap 128{{$}}
// CHECK-NEXT: parameter o : int * 8 pointer write
__global__ void unused(const __grid_constant__ CUtensorMap map, int *o) { o[threadIdx.x] = 1; }
