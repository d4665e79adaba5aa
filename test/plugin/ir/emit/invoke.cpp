// An exception through an instrumented call unwinds as before; calls in try blocks are invokes.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx -shared -fPIC -x c -DLIBRARY %s -o %t.so
// RUN: %clangxx %instr %verify %s -o %t %t.so -lstdc++
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -O2 %s -o %t %t.so -lstdc++
// RUN: %traced %t 2>&1 | %FileCheck %s
#ifdef LIBRARY
void cudaLaunchHostFunc(void *stream, void (*f)(void *), void *data) { f(data); }
#else
#include <cuda_runtime_api.h>
#include <cstdio>
#include <stdexcept>

struct Noisy {
  ~Noisy() { std::fprintf(stderr, "destroyed\n"); }
};

static void thrower(void *data) {
  if (data)
    throw std::runtime_error("through CUDA");
}

int main() {
  // CHECK: enter {{.*}} cudaLaunchHostFunc
  // CHECK-NEXT: leave cudaLaunchHostFunc
  // CHECK-NEXT: destroyed
  {
    Noisy noisy;
    cudaLaunchHostFunc(nullptr, thrower, nullptr);
  }
  // No leave on the way out.
  // CHECK-NEXT: enter {{.*}} cudaLaunchHostFunc
  // CHECK-NEXT: destroyed
  // CHECK-NEXT: caught through CUDA
  try {
    Noisy noisy;
    cudaLaunchHostFunc(nullptr, thrower, &noisy);
  } catch (const std::runtime_error &e) {
    std::fprintf(stderr, "caught %s\n", e.what());
  }
}
#endif
