// Kernel launches: templates, namespaces, function pointers, lambdas, two in one macro; each joins
// its own call.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck %s --check-prefix=MACRO < %t.txt
#include <cuda_runtime.h>
template <class T, int K> __global__ void scale(T *x, T by) {}
template <class F> __global__ void generic(F f) {}
namespace ns {
namespace {
__global__ void hidden(int *p) {}
} // namespace
} // namespace ns
extern "C" __global__ void plain(int *p, int) {}
static __global__ void local(int *p) {}
#define TWICE(p)                                                                                   \
  plain<<<1, 1>>>(p, 1);                                                                           \
  local<<<1, 1>>>(p);                                                                              \
  plain<<<2, 2>>>(p, 2)

template <class T> void launch(T *p) {
  // CHECK-DAG: [[@LINE+1]]:3 launch<float> calls scale<float, 3>(p | T(1)) launch{{$}}
  scale<T, 3><<<1, 1>>>(p, T(1));
  // CHECK-DAG: [[@LINE-1]]:3 launch<double> calls scale<double, 3>(p | T(1)) launch{{$}}
}

int main() {
  int *p = nullptr;
  // CHECK-DAG: [[@LINE+1]]:3 main calls scale<float, 2>(nullptr | 1.f) launch{{$}}
  scale<float, 2><<<1, 1>>>(nullptr, 1.f);
  // CHECK-DAG: [[@LINE+1]]:3 main calls ns::(anonymous namespace)::hidden(p) launch{{$}}
  ns::hidden<<<dim3(1), dim3(1), 16, nullptr>>>(p);
  // MACRO: [[@LINE+3]]:3 main calls plain(p | 1) launch{{$}}
  // MACRO: [[@LINE+2]]:3 main calls local(p) launch{{$}}
  // MACRO: [[@LINE+1]]:3 main calls plain(p | 2) launch ordinal=1
  TWICE(p);
  void (*pointer)(int *) = local;
  // CHECK-DAG: [[@LINE+1]]:3 main calls pointer(p) launch{{$}}
  pointer<<<1, 1>>>(p);
  auto run = [=] {
    // CHECK-DAG: [[@LINE+1]]:5 main::lambda calls local(p) launch{{$}}
    local<<<1, 1>>>(p);
  };
  run();
  // CHECK-DAG: [[@LINE+1]]:3 main calls generic<(lambda)>([=] __device__(int) {}) launch{{$}}
  generic<<<1, 1>>>([=] __device__(int) {});
  launch((float *)nullptr);
  launch((double *)nullptr);
  return 0;
}
// CHECK-DAG: kernel scale<float, 2> {{.*}}launches.cu:{{[0-9]+}} stub=_Z20__device_stub__scaleIfLi2EEvPT_S0_
// CHECK-DAG: kernel plain {{.*}}launches.cu:{{[0-9]+}} stub=__device_stub__plain
// CHECK-DAG: parameter (unnamed) : int 4
// CHECK-DAG: kernel ns::(anonymous namespace)::hidden {{.*}} stub=_ZN2ns12_GLOBAL__N_121__device_stub__hiddenEPi
// CHECK: joined {{[0-9]+}}, unjoined 0
