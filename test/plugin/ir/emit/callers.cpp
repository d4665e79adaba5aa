// Which line called the function with the site: constructors, destructors, virtual and indirect
// calls, std:: in between, recursion, depth by option.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx %instr %verify %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -O2 %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify %s -o %t %cudart -fplugin-arg-gpuinstr-callers=3
// RUN: %traced %t 2>&1 | %FileCheck --check-prefixes=CHECK,DEEP %s
// RUN: %clangxx %instr %verify %s -o %t %cudart -fplugin-arg-gpuinstr-callers=0
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=NONE %s
// In the short form of large files as well.
// RUN: %clangxx %instr %verify %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -O2 %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1 -fplugin-arg-gpuinstr-callers=3
// RUN: %traced %t 2>&1 | %FileCheck --check-prefixes=CHECK,DEEP %s
// RUN: %clangxx %instr %verify %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1 -fplugin-arg-gpuinstr-callers=0
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=NONE %s
// NONE-NOT: <-
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>

struct Base {
  virtual ~Base() = default;
  virtual void run() = 0;
};
struct Buffer : Base {
  void *data;
  explicit Buffer(size_t n) { cudaMalloc(&data, n); }
  ~Buffer() override { cudaFree(nullptr); }
  void run() override { cudaGetLastError(); }
};

void leaf() { cudaDeviceSynchronize(); }
void middle() { leaf(); }
void nothing() {}

int main() {
  // CHECK: enter {{.*}} cudaMalloc in Buffer::Buffer {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  Buffer local(16);
  // Through std::make_unique, to the user's line.
  // CHECK: enter {{.*}} cudaMalloc in Buffer::Buffer {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  std::unique_ptr<Base> owner = std::make_unique<Buffer>(32);
  // CHECK: enter {{.*}} cudaGetLastError in Buffer::run {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  owner->run();
  // CHECK: enter {{.*}} cudaDeviceSynchronize in leaf {{.*}}<- callers.cpp:[[#@LINE-11]] middle
  // DEEP-SAME: <- callers.cpp:[[#@LINE+1]] main{{$}}
  middle();
  std::function<void()> f = [] { cudaPeekAtLastError(); };
  // CHECK: enter {{.*}} cudaPeekAtLastError in {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  f();
  void (*pointer)() = leaf;
  // CHECK: enter {{.*}} cudaDeviceSynchronize in leaf {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  pointer();
  // The indirect call's line is gone once it returned: leaf says who called it, if anybody did.
  pointer = nothing;
  pointer();
  // CHECK: enter {{.*}} cudaDeviceSynchronize in leaf {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  leaf();
  // A destructor through a base pointer, std::unique_ptr and the deleting destructor.
  // CHECK: enter {{.*}} cudaFree in Buffer::~Buffer {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
  owner.reset();
  // CHECK: enter {{.*}} cudaFree in Buffer::~Buffer {{.*}}<- callers.cpp:[[#@LINE+1]] main{{$}}
}
