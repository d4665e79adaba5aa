// A member of what a closure captures by reference is set elsewhere, as the whole is.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,CLANG %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

struct State {
  int x, list[2];
};
// CHECK: kernel member {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
// CHECK-NEXT: parameter flag : volatile int * 8 pointer read{{$}}
__global__ void member(volatile int *flag) {
  State s{};
  auto look = [&] { s.x = *flag; };
  auto wait = [&] {
    for (int i = 0; s.x == 0 || i < 0; i = 1)
      look();
  };
  wait();
}
// CHECK: kernel element {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
// CHECK-NEXT: parameter flag : int * 8 pointer read write anywhere{{$}}
__global__ void element(int *flag) {
  State s{};
  auto look = [&] { s.list[0] = atomicAdd(flag, 0); };
  auto wait = [&] {
    for (int i = 0; s.list[0] == 0 || i < 0; i = 1)
      look();
  };
  wait();
}
// CHECK: kernel own {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter o : int * 8 pointer write anywhere{{$}}
__global__ void own(int *o) {
  auto count = [&] {
    State s{};
    for (; s.x < 4; ++s.x)
      o[s.x] = 1;
  };
  count();
}
#if __clang__ && __CUDA__
namespace other { // no index of a thread
extern __device__ const volatile int warpSize;
}
// CLANG: kernel of_other_name
// CLANG-NOT: ends
// CLANG-SAME: {{$}}
__global__ void of_other_name(int *o) {
  for (int i = 0; other::warpSize == 0 || i < 0; i = 1)
    o[0] = i;
}
#endif
