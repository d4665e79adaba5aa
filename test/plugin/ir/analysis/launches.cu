// Every shape of a kernel launch is one site around one inner site.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx_cuda %instr %verify %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx_cuda %instr %verify -O2 -g %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
#include <string>

__global__ void one(int *p) {}
__global__ void two(int *p, int n) {}
template <class T> __global__ void filled(T *p, T v) {}
__global__ void sized(int n) {}

#define BOTH(p) one<<<1, 2>>>(p); two<<<3, 4>>>(p, 1)

int length(const std::string &text) { return static_cast<int>(text.size()); }

int main() {
  int *p = nullptr;
  // CHECK: enter launches.cu:[[#@LINE+6]] op=19 one in main var= flags=0x2000010{{$}}
  // CHECK-NEXT: enter {{.*}} op=19 cudaLaunchKernel in one {{.*}}flags=0x52 s3=0 s12=100000001 s13=1 s14=100000002 s15=1 s16=0
  // CHECK-NEXT: leave cudaLaunchKernel
  // CHECK-NEXT: leave one
  // CHECK-NEXT: enter launches.cu:[[#@LINE+2]] op=19 two in main
  // CHECK-NEXT: enter {{.*}}s12=100000003 s13=1 s14=100000004
  BOTH(p);
  // A function pointer: the site is the line of the launch.
  void (*f)(int *) = one;
  // CHECK: enter launches.cu:[[#@LINE+2]] op=19
  // CHECK-NEXT: enter {{.*}} cudaLaunchKernel in one
  f<<<1, 1>>>(p);
  // CHECK: enter launches.cu:[[#@LINE+2]] op=19 filled<float>
  // CHECK-NEXT: enter {{.*}} cudaLaunchKernel in filled<float> {{.*}}s16=40
  filled<<<1, 1, 64>>>(reinterpret_cast<float *>(p), 1.f);
  // Arguments with temporaries, calls and branches stand between the push and the stub.
  // CHECK: enter launches.cu:[[#@LINE+2]] op=19 sized
  // CHECK-NEXT: enter {{.*}} cudaLaunchKernel in sized
  sized<<<dim3(1, 2, 3), 1>>>(p ? 0 : length(std::string("some text that is on the heap")));
  // Inside a try block the stub is invoked.
  try {
    // CHECK: enter launches.cu:[[#@LINE+2]] op=19 sized
    // CHECK-NEXT: enter {{.*}} cudaLaunchKernel in sized
    sized<<<1, 1>>>(length(std::string("another text that is on the heap")));
    if (p)
      throw 1;
  } catch (int) {
  }
  // Launches by function call have the operands themselves.
  void *args[] = {&p};
  // CHECK: enter launches.cu:[[#@LINE+1]] op=19 cudaLaunchKernel in main {{.*}}s12=200000001 s13=3 s14=500000004 s15=6 s16=7
  cudaLaunchKernel(reinterpret_cast<const void *>(one), dim3(1, 2, 3), dim3(4, 5, 6), args, 7, 0);
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = 1;
  // CHECK: enter launches.cu:[[#@LINE+2]] op=19 cudaLaunchKernelEx
  // CHECK-NEXT: enter cuda_runtime.h:{{.*}} cudaLaunchKernelExC {{.*}}s10=
  cudaLaunchKernelEx(&config, one, p);
}
