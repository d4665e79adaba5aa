// CUDA's library classes for random kernels, and inline PTX with what it does as C++.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_RANDOM_LIBRARY_H
#define GPUINSTR_TEST_RANDOM_LIBRARY_H
#ifdef OBSERVED
// Any pointer to float is taken for one to float4: as C++ it must not matter where it leads.
#include <crt/host_defines.h>
#undef __builtin_align__
#define __builtin_align__(a)
#endif
#include <cmath>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda_fp16.h>
#include <vector_functions.h>
using U64 = unsigned long long;
#ifdef OBSERVED
#define ASM_STORE(P, V) (void)(*(float *)(P) = (V))
#define ASM_LOAD(X, P) (void)((X) = *(const float *)(P))
#define ASM_RED(P, V) (void)(*(float *)(P) += (V))
#define ASM_IF(P, V, I) (void)((I) > 3 ? *(float *)(P) = (V) : 0)
#define ASM_ADD(X, V) (void)((X) += (V))
#define ASM_STOREN(P, N) (void)(*(U64 *)(P) = (N))
#define ASM_LOADN(X, P) memcpy(&(X), (P), 8)
#define ASM_MOVE(X, Y) memcpy(&(X), &(Y), 8)
#define ASM_NEXT(X) (void)++(X)
#else
#define ASM_STORE(P, V) asm volatile("st.f32 [%0], %1;" ::"l"(P), "f"(V) : "memory")
#define ASM_LOAD(X, P) asm volatile("ld.volatile.f32 %0, [%1];" : "=f"(X) : "l"(P))
#define ASM_RED(P, V) asm volatile("red.add.f32 [%0], %1;" ::"l"(P), "f"(V))
#define ASM_IF(P, V, I)                                                                            \
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %2, 3; @p st.f32 [%0], %1; }" ::"l"(P), "f"(V),     \
               "r"(I))
#define ASM_ADD(X, V) asm("add.f32 %0, %0, %1;" : "+f"(X) : "f"(V))
#define ASM_STOREN(P, N) asm volatile("st.u64 [%0], %1;" ::"l"(P), "l"(N) : "memory")
#define ASM_LOADN(X, P) asm volatile("ld.u64 %0, [%1];" : "=l"(X) : "l"(P))
#define ASM_MOVE(X, Y) asm("mov.u64 %0, %1;" : "=l"(X) : "l"(Y))
#define ASM_NEXT(X) asm("add.u64 %0, %0, 4;" : "+l"(X))
#endif
#endif
