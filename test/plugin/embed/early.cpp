// Sites in initialisers of any priority, before main, and in another shared library; an unloaded
// library takes its sites back.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx %instr -shared -fPIC -DLIBRARY %s -o %t.so %cudart
// RUN: %clangxx %instr %verify -O1 %s -o %t %cudart -ldl
// RUN: %not %traced %t %t.so 2>&1 | %FileCheck %s
#include <cuda_runtime_api.h>
#ifdef LIBRARY
extern "C" void allocate() {
  void *p;
  cudaMalloc(&p, 32);
}
#else
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
struct First {
  First() { cudaGetLastError(); }
};
// CHECK: register early.cpp
// CHECK: enter {{.*}} cudaGetLastError in First::First
__attribute__((init_priority(101))) First first;
int main(int, char **argv) {
  // CHECK: main
  std::fprintf(stderr, "main\n");
  // CHECK-NEXT: register early.cpp
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto *allocate = reinterpret_cast<void (*)()>(dlsym(library, "allocate"));
  // CHECK-NEXT: enter early.cpp:[[#@LINE-18]] op=4 cudaMalloc in allocate
  allocate();
  // CHECK: unregister early.cpp
  dlclose(library);
  // CHECK-NEXT: end
  std::fprintf(stderr, "end\n");
  // CHECK-NEXT: before_exit 3
  // CHECK-NOT: unregister
  _Exit(3);
}
#endif
