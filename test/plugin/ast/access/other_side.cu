// The device may run another body than the one that the host's compile has.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=CLANG %s < %t.clang.txt
// RUN: %nvcc -std=c++17 --expt-relaxed-constexpr -diag-suppress 20208 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

__device__ __attribute__((weak)) void replaceable(int *) {}
// CHECK: kernel calls_weak
// CHECK-NOT: keeps-globals
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_weak(int *flag) { replaceable(flag); }

#ifdef __CUDA_ARCH__
#include "Inputs/device.inc"
#else
#include "Inputs/host.inc"
#endif
// CHECK: kernel calls_included
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_included(int *flag) { included(flag); }

template <class T> __device__ void by_size(T *flag) {
  if constexpr (sizeof(long double) == 8)
    *flag = 1;
}
// CHECK: kernel calls_by_size
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_by_size(int *flag) { by_size(flag); }

__device__ void by_macro(int *flag) {
#if __SIZEOF_LONG_DOUBLE__ == 8
  *flag = 1;
#endif
}
// CLANG: kernel calls_by_macro
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_by_macro(int *flag) { by_macro(flag); }

// nvcc knows no overloads of the sides.
#ifdef __CUDA__
inline __host__ void overloaded(int *) {}
inline __device__ void overloaded(int *flag) { *flag = 1; }
inline __host__ __device__ void either(int *flag) { overloaded(flag); }
// CLANG: kernel calls_either
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_either(int *flag) { either(flag); }

inline __host__ __device__ void both(int *) {}
inline __device__ void both(int *flag, int = 0) { *flag = 1; }
inline __device__ void both(float *flag) { *flag = 1; }
inline __host__ __device__ void callsBoth(int *flag) { both(flag); }
// The device's is the better match, for the host's compile as well.
inline __host__ __device__ void matched(void *) {}
inline __device__ void matched(int *flag) { *flag = 1; }
inline __host__ __device__ void callsMatched(int *flag) { matched(flag); }
// CLANG: kernel calls_matched
// CLANG-NEXT: parameter flag : {{.*}} write{{$}}
__global__ void calls_matched(int *flag) { callsMatched(flag); }

struct Matched {
  __host__ __device__ explicit Matched(const void *) {}
  __device__ explicit Matched(int *flag) { *flag = 1; }
  __host__ __device__ void put(const void *) {}
  __device__ void put(int *flag) { *flag = 1; }
};
inline __host__ __device__ void constructs(int *flag) { Matched made(flag); }
// CLANG: kernel calls_constructs
// CLANG-NEXT: parameter flag : {{.*}} write{{( anywhere)?$}}
__global__ void calls_constructs(int *flag) { constructs(flag); }
inline __host__ __device__ void puts(Matched *to, int *flag) { to->put(flag); }
// CLANG: kernel calls_puts
// CLANG-NEXT: parameter to : {{[^{}]*[0-9] pointer$}}
// CLANG-NEXT: parameter flag : {{.*}} write{{$}}
__global__ void calls_puts(Matched *to, int *flag) { puts(to, flag); }

// Found beside the argument's type, or in it, by the device alone.
namespace beside {
struct Flag {
  int *p;
};
struct Friendly : Flag {
  friend __device__ void befriended(Friendly flag, int) { *flag.p = 1; }
};
inline __device__ void found(Flag flag, int) { *flag.p = 1; }
} // namespace beside
template <class T> struct Of { int *p; };
template <class T> __host__ __device__ void found(T, int) {}
template <class T> __host__ void found(const T &, long) {}
template <class T> __host__ __device__ void befriended(T, int) {}
template <class T> __host__ void befriended(const T &, long) {}
template <class T> __host__ __device__ void finds(T flag) { found(flag, 0); }
template <class T> __host__ __device__ void findsFriend(T flag) { befriended(flag, 0); }
struct Apart {
  int *p;
};
// CLANG: kernel calls_found
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_found(beside::Flag flag) { finds(flag); }
// CLANG: kernel calls_found_by_base
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_found_by_base(beside::Friendly flag) { finds(flag); }
// CLANG: kernel calls_befriended
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_befriended(beside::Friendly flag) { findsFriend(flag); }
// CLANG: kernel calls_found_by_argument
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_found_by_argument(Of<beside::Flag> flag) { finds(flag); }
// CLANG: kernel finds_none
// CLANG-SAME: keeps-globals
__global__ void finds_none(Apart flag) { finds(flag); }

// CLANG: kernel calls_both_of_both
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_both_of_both(int *flag) { callsBoth(flag); }
// CLANG: kernel calls_both
// CLANG-SAME: keeps-globals
__global__ void calls_both(float *flag) { both(flag); }
#endif

constexpr int twice(int x) { return 2 * x; }
struct Plain {
  int *p;
};
// CHECK: kernel calls_implicit
// CHECK-SAME: ends keeps-globals{{$}}
// CHECK-NEXT: parameter flag : {{.*}} write{{( anywhere)?$}}
__global__ void calls_implicit(int *flag) {
  Plain plain{flag}, copy = plain;
  auto put = [=](int x) { copy.p[0] = x; };
  put(twice(2));
}
