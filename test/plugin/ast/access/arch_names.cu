// What a kernel does may hang on names that stand for something else on the device, far from the
// conditional that sets them: the host's AST has folded them.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++20 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=CLANG %s < %t.clang.txt
// RUN: %nvcc -std=c++20 --expt-relaxed-constexpr %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -dc %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
#include <type_traits>

#ifdef __CUDA_ARCH__
constexpr bool onDevice = true;
#else
constexpr bool onDevice = false;
#endif
template <bool D> struct Impl {
  static __host__ __device__ void put(int *) {}
};
template <> struct Impl<true> {
  static __host__ __device__ void put(int *flag) { *flag = 1; }
};

// CHECK: kernel by_argument
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_argument(int *flag) { Impl<onDevice>::put(flag); }

using Side = Impl<onDevice>;
// CHECK: kernel by_alias
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_alias(int *flag) { Side::put(flag); }

template <bool D = onDevice> __host__ __device__ void byDefault(int *flag) {
  if constexpr (D)
    *flag = 1;
}
// CHECK: kernel by_default
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_default(int *flag) { byDefault(flag); }

template <class T, std::enable_if_t<onDevice && sizeof(T) == 4, int> = 0>
__host__ __device__ void enabled(T *flag) {
  *flag = 1;
}
template <class T, std::enable_if_t<!onDevice && sizeof(T) == 4, int> = 0>
__host__ __device__ void enabled(T *) {}
// CHECK: kernel by_enabled
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_enabled(int *flag) { enabled(flag); }

template <class T>
concept OnDevice = onDevice && sizeof(T) == 4;
template <class T> __host__ __device__ void constrained(T *) {}
template <OnDevice T> __host__ __device__ void constrained(T *flag) { *flag = 1; }
// CHECK: kernel by_concept
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_concept(int *flag) { constrained(flag); }

struct Policy {
  static constexpr bool OfDevice = onDevice;
};
template <class P, bool D = P::OfDevice> struct Chosen {
  static __host__ __device__ void put(int *flag) {
    if constexpr (D)
      *flag = 1;
  }
};
// CHECK: kernel by_policy
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_policy(int *flag) { Chosen<Policy>::put(flag); }

constexpr int computed() { return onDevice; }
enum { Number = computed() };
template <bool D> inline constexpr bool both = D && onDevice;
// CHECK: kernel by_constants
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_constants(int *flag) { Impl<both<Number>>::put(flag); }

// The host's compile has not got this one.
__host__ __device__ inline void overload(void *) {}
#ifdef __CUDA_ARCH__
namespace {
__host__ __device__ inline void overload(int *to) { *to = 1; }
} // namespace
#endif
// CHECK: kernel by_overload
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_overload(int *flag) { overload(flag); }

// Silent: who does not name them; a body that depends is of its own function alone.
__host__ __device__ inline void inside(const int *to) {
#ifdef __CUDA_ARCH__
  int mine = *to;
#else
  int mine = 0;
#endif
  (void)mine;
}
// CHECK: kernel alike
// CHECK-SAME: ends keeps-globals
// CHECK-NEXT: parameter to : {{.*}} write
__global__ void alike(int *to) {
  int mine = 1;
  *to = mine;
}
// CLANG: kernel calls_inside
// CLANG-NEXT: parameter flag : {{.*}} write
// CLANG-NEXT: parameter given : {{.*}} unknown
__global__ void calls_inside(int *flag, int *given) {
  inside(given);
  *flag = 1;
}
