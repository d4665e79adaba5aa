// Entry points whose address is taken are replaced by instrumented functions of the same type;
// where that would change the program they are named as unseen.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx %instr %verify -O1 -g %s -o %t %cudart -ldl
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify %s -o %t %cudart -ldl
// RUN: %traced %t 2>&1 | %FileCheck %s
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <memory>

// CHECK: register addresses.cpp
// CHECK-NEXT: unseen cuMemAlloc
// CHECK-NEXT: unseen cudaHostAlloc
// CHECK-NEXT: unseen cudaStreamCreate

struct Hooks {
  cudaError_t (*alloc)(void **, size_t);
  cudaError_t (*free)(void *);
};
extern const Hooks hooks;
const Hooks hooks = {cudaMalloc, cudaFree};

bool isStreamCreate(void *f) { return f == reinterpret_cast<void *>(&cudaStreamCreate); }

int main() {
  void *p = nullptr;
  // CHECK: enter addresses.cpp:{{[0-9]+}} op=4 cudaMalloc in {{.*}}flags=0x82 {{.*}}s2=10 <- addresses.cpp:[[#@LINE+1]] main
  hooks.alloc(&p, 16);
  // CHECK: enter addresses.cpp:{{[0-9]+}} op=5 cudaFree in {{.*}} <- addresses.cpp:[[#@LINE+1]] main
  hooks.free(p);
  {
    int x;
    std::unique_ptr<int, decltype(&cudaFreeHost)> owner(&x, cudaFreeHost);
    // CHECK: enter addresses.cpp:[[#@LINE-1]] op=5 cudaFreeHost in main
  }
  void *f = dlsym(RTLD_DEFAULT, "cudaHostAlloc");
  cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 13000, 0, nullptr);
  return isStreamCreate(f) ? 1 : 0;
}
