// Atomics of 16 bytes, as CUDA's headers declare them for sm_90.
// SPDX-License-Identifier: Apache-2.0
#pragma GCC system_header
template <class T> __device__ T atomicExch(T *address, T value);
