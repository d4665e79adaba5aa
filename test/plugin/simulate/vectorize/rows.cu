// Loops over a row of threads: a vector body for rows whose threads all pass the kernel's guard, and
// the guarded loop for the row where it parts them.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O2 -fno-vectorize -S -emit-llvm %s -o - | %FileCheck --check-prefix=PLAIN %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -Os -S -emit-llvm %s -o - | %FileCheck --check-prefix=PLAIN %s

// PLAIN-LABEL: define internal void @__gpuinstr_sim_run_scale(
// PLAIN-COUNT-1: store float
// PLAIN-NOT: store
// PLAIN: {{^}$}}

// The last thread of the row passes, and no index wraps on the way to it.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run_scale(
// CHECK: icmp sge i32 [[LAST:%[0-9]+]], [[FIRST:%[0-9]+]]
// CHECK: icmp slt i32 [[LAST]], [[N:%[0-9]+]]
// CHECK: load <4 x float>
// CHECK: store <4 x float>
// CHECK: icmp slt i32 {{%[0-9]+}}, [[N]]
// CHECK: store float
// CHECK: {{^}$}}
extern "C" __global__ void scale(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i] + out[i];
}

// CHECK-LABEL: define internal void @__gpuinstr_sim_run_leaves(
// CHECK: store <4 x float>
// CHECK: store float
// CHECK: {{^}$}}
extern "C" __global__ void leaves(const float *in, float *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] += in[i];
}

// CHECK-LABEL: define internal void @__gpuinstr_sim_run_wide(
// CHECK: store <4 x float>
// CHECK: store float
// CHECK: {{^}$}}
extern "C" __global__ void wide(const float *in, float *out, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] += in[i];
}

// CHECK-LABEL: define internal void @__gpuinstr_sim_run_plane(
// CHECK: store <4 x float>
// CHECK: store float
// CHECK: {{^}$}}
extern "C" __global__ void plane(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] += in[y * w + x];
}

// CHECK-LABEL: define internal void @__gpuinstr_sim_run_inner(
// CHECK: store <4 x float>
// CHECK: store float
// CHECK: {{^}$}}
extern "C" __global__ void inner(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i] + in[i + 1];
}

// Parameters in a structure are loaded before the loop, which might write to them for all LLVM knows.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run_structure(
// CHECK: store <4 x float>
// CHECK: store float
// CHECK: {{^}$}}
struct Job {
  const float *in;
  float *out;
  int n;
};
extern "C" __global__ void structure(Job j) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < j.n)
    j.out[i] += j.in[i];
}

// All threads' first round, then all threads' second one.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run_stride(
// CHECK: store <4 x float>
// CHECK: {{^}$}}
extern "C" __global__ void stride(const float *in, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] += in[i];
}

// What is done once a thread must not be done once a round: it may read what a round has written.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run_once(
// CHECK-NOT: store <4 x float>
// CHECK: {{^}$}}
extern "C" __global__ void once(const float *in, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float own = in[t];
  for (int i = t; i < n; i += blockDim.x * gridDim.x)
    out[i] += own;
}

// No copy of what cannot be vectors.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run_count(
// CHECK-COUNT-1: atomicrmw
// CHECK-NOT: atomicrmw
// CHECK: {{^}$}}
extern "C" __global__ void count(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&out[in[i]], 1);
}
