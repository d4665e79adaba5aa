// The per-thread default stream's entry points are the same sites, flagged.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr %verify -DCUDA_API_PER_THREAD_DEFAULT_STREAM -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// RUN: %FileCheck --check-prefix=IR %s < %t.ll
#include <cuda.h>
#include <cuda_runtime_api.h>

// IR-DAG: call {{.*}}@cudaMemcpyAsync_ptsz(
// IR-DAG: call {{.*}}@cudaMemset_ptds(
// IR-DAG: call {{.*}}@cuMemcpyHtoD_v2_ptds(
// IR-DAG: call {{.*}}@cuMemFree_v2(
void f(void *a, void *b, cudaStream_t s) {
  // CHECK: ptsz.cpp:[[#@LINE+1]]:{{.*}}: copy cudaMemcpyAsync(a, b, 4, cudaMemcpyDefault, s){{.*}} in f [discarded cuda-error async per-thread] {dst src bytes stream kind}
  cudaMemcpyAsync(a, b, 4, cudaMemcpyDefault, s);
  // CHECK: ptsz.cpp:[[#@LINE+1]]:{{.*}}: set cudaMemset(a, 0, 4){{.*}} in f [discarded cuda-error per-thread] {dst bytes kind}
  cudaMemset(a, 0, 4);
  // CHECK: ptsz.cpp:[[#@LINE+1]]:{{.*}}: copy cuMemcpyHtoD{{.*}}(0, b, 4){{.*}} in f [discarded cu-result per-thread device-dst host-src driver] {dst src bytes}
  cuMemcpyHtoD(0, b, 4);
  // CHECK: ptsz.cpp:[[#@LINE+1]]:{{.*}}: free cuMemFree{{.*}}(0){{.*}} in f [discarded cu-result driver] {dst}
  cuMemFree(0);
}
