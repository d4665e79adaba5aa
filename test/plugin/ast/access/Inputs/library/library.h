// A library that a build gives as a system header.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __CUDA_ARCH__
#include "../device.inc"
#else
#include "../host.inc"
#endif
template <class T> __device__ void bySize(T *flag) {
  if constexpr (sizeof(long double) == 8)
    *flag = 1;
}
inline __device__ void atomicMove(int *to, int *from) {
  atomicAdd(to, *from);
  *from = 0;
}
inline __device__ void plain(int *to) { *to = 1; }
#ifdef __CUDA_ARCH__
constexpr bool libraryOnDevice = true;
#else
constexpr bool libraryOnDevice = false;
#endif
template <bool D> struct Side {
  static __host__ __device__ void put(int *) {}
};
template <> struct Side<true> {
  static __host__ __device__ void put(int *flag) { *flag = 1; }
};
inline __device__ void byName(int *flag) { Side<libraryOnDevice>::put(flag); }
