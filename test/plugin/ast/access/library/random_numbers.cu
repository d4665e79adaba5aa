// cuRAND's device functions: each reads and changes the state that it gets.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <curand_kernel.h>

// CHECK: kernel seed {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter states : {{.*}} pointer {{.*}}write anywhere{{$}}
__global__ void seed(curandState *states, unsigned long long number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(number, i, 0, &states[i]);
}
// CHECK: kernel draw {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter states : {{.*}} pointer read write anywhere{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write{{$}}
__global__ void draw(curandState *states, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = curand_uniform(&states[i]) + curand_normal(states + i);
}
// CHECK: kernel local {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter states : {{.*}} pointer read write
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
__global__ void local(curandStatePhilox4_32_10_t *states, float4 *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state = states[i];
  out[i] = curand_normal4(&state);
  states[i] = state;
}
// CHECK: kernel sobol {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter states : {{.*}} pointer {{.*}}write
// CHECK-NEXT:   parameter directions : {{.*}} pointer read{{$}}
__global__ void sobol(curandStateSobol32_t *states, curandDirectionVectors32_t *directions) {
  curand_init(directions[threadIdx.x], 1234, &states[threadIdx.x]);
}
// States of mtgp32 lead on to others' memory.
// CHECK: kernel leads
// CHECK-NOT: keeps-globals
// CHECK-NEXT:   parameter states : {{.*}}unknown
__global__ void leads(curandStateMtgp32 *states, unsigned *out) {
  out[threadIdx.x] = curand(&states[blockIdx.x]);
}
// A table of a distribution, likewise.
// CHECK: kernel tables
// CHECK-NEXT:   parameter state : {{.*}}
// CHECK-NEXT:   parameter table : {{.*}}{{unknown|follow}}
__global__ void tables(curandState *state, curandDiscreteDistribution_t table, unsigned *out) {
  *out = curand_discrete(state, table);
}
// A state of the program's own.
struct curandStateMine {
  int *where;
};
__device__ unsigned curand_mine(curandStateMine *state) { return atomicAdd(state->where, 1); }
// CHECK: kernel mine
// CHECK-NEXT:   parameter state : {{.*}}{{unknown|follow}}
__global__ void mine(curandStateMine *state, unsigned *out) { *out = curand_mine(state); }
