// The toolkit's headers by another path than nvcc's own: their host branches say nothing of the
// device.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc, cccl
// RUN: %nvcc -std=c++17 -w -arch=sm_90 %cccl %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 -w -arch=sm_90 -I%cuda_root/include/cccl %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 -w -arch=sm_90 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cuda/ptx>
#include <cuda/discard_memory>
#include <cuda/std/span>

// CHECK: kernel filled
// CHECK-NEXT: parameter a : float * 8 pointer {{(.* )?}}unknown
__global__ void filled(float *a) {
  __shared__ float s[4];
  cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, a, s, 16);
}
// CHECK: kernel discarded
// CHECK-NEXT: parameter a : float * 8 pointer {{(.* )?}}unknown
__global__ void discarded(float *a) { cuda::discard_memory(a, 128); }
// What has one body for both sides.
// CHECK: kernel spanned
// CHECK-NEXT: parameter a : float * 8 pointer write
__global__ void spanned(float *a) { cuda::std::span<float>(a, 4)[0] = 1; }
