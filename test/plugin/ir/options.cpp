// wrapper=, include=, exclude=, defaults=.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites -fplugin-arg-gpuinstr-wrapper=mem::* | %FileCheck --check-prefix=WRAP %s
// WRAP: alloc cudaMalloc({{.*}} in mem::again [cuda-error wrapper]
// WRAP: alloc cudaMalloc({{.*}} in mem::get [cuda-error wrapper]
// WRAP: other cudaGetDevice({{.*}} in probe [discarded cuda-error]
// RUN: %clangxx %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites -fplugin-arg-gpuinstr-exclude=pro?e | %FileCheck --check-prefix=EXCL %s
// EXCL: alloc cudaMalloc({{.*}} in mem::again [cuda-error]
// EXCL: alloc cudaMalloc({{.*}} in mem::get [cuda-error wrapper]
// EXCL: other cudaGetDevice({{.*}} in probe [discarded cuda-error excluded]
// RUN: %clangxx %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites -fplugin-arg-gpuinstr-include=mem::get -fplugin-arg-gpuinstr-include=other.cpp | %FileCheck --check-prefix=INCL %s
// INCL: alloc cudaMalloc({{.*}} in mem::get [cuda-error wrapper]
// INCL: other cudaGetDevice({{.*}} in probe [discarded cuda-error excluded]
// RUN: %build_trace
// RUN: %clangxx %instr %s -o %t %cudart '-fplugin-arg-gpuinstr-defaults=report=off json=x.json'
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=DEFAULTS %s
// DEFAULTS: register options.cpp {{.*}}defaults=report=off json=x.json
#include <cuda_runtime_api.h>
namespace mem {
void again(void **p, size_t n) {
  while (cudaMalloc(p, n) != cudaSuccess)
    n /= 2;
}
cudaError_t get(void **p, size_t n) { return cudaMalloc(p, n); }
} // namespace mem
void probe() {
  int device;
  cudaGetDevice(&device);
}
int main() {
  void *p;
  mem::get(&p, 4);
  probe();
}
