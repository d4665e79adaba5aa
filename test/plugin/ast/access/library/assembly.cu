// Inline PTX that can be read: numbers, exchanges within a block, accesses by operands.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts --cuda-gpu-arch=sm_80 -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_80 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s

// CHECK: kernel lane {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{( anywhere)?$}}
__global__ void lane(unsigned *out) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = lane;
}
// CHECK: kernel reads {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write anywhere{{$}}
__global__ void reads(const float *in, float *out) {
  float v;
  asm volatile("ld.global.nc.f32 %0, [%1+4];" : "=f"(v) : "l"(in + threadIdx.x));
  asm volatile("st.global.f32 [%0], %1;" ::"l"(out + threadIdx.x), "f"(v) : "memory");
}
// CHECK: kernel counts {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter counter : {{.*}} pointer read write anywhere{{$}}
__global__ void counts(unsigned *counter) {
  unsigned before;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, 0; @p atom.global.add.u32 %0, [%1], 1; }"
               : "=r"(before)
               : "l"(counter), "r"(threadIdx.x));
}
// CHECK: kernel copies {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write{{( anywhere)?$}}
__global__ void copies(const float *in, float *out) {
  __shared__ float part[32];
  const unsigned to = unsigned(__cvta_generic_to_shared(&part[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  out[threadIdx.x] = part[threadIdx.x];
}
// CHECK: kernel mixes {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter x : {{.*}} pointer read write
__global__ void mixes(unsigned *x) {
  unsigned a = x[0], b;
  asm("lop3.b32 %0, %1, %2, %2, 0x96; // of three" : "=r"(b) : "r"(a), "r"(a));
  asm("prmt.b32 %0, %0, 0, 0x0123;" : "+r"(b));
  x[0] = b;
}
// Into an element.
// CHECK: kernel element {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter x : {{.*}} pointer read write
__global__ void element(unsigned *x) { asm("brev.b32 %0, %1;" : "=r"(x[1]) : "r"(x[0])); }

// A variable's address: who has it may write there.
__device__ unsigned counted;
// CHECK: kernel names {{[^ ]*}} stub={{[^ ]*$}}
__global__ void names(unsigned long long *out) {
  unsigned long long at;
  asm("mov.u64 %0, counted;" : "=l"(at));
  out[threadIdx.x] = at;
}
// CHECK: kernel names_inside {{[^ ]*}} stub={{[^ ]*$}}
__global__ void names_inside(unsigned long long *out) {
  unsigned long long at;
  asm("{ .reg .u64 t; cvta.global.u64 t, counted; add.u64 %0, t, 4; }" : "=l"(at));
  out[threadIdx.x] = at;
}
// CHECK: kernel registers {{.*}} ends keeps-globals{{$}}
__global__ void registers(unsigned *out) {
  unsigned a = threadIdx.x, b;
  asm("{ .reg .b32 r<3>, t; .reg .pred p, q; .reg .v2 .b32 v; setp.lt.u32 p|q, %1, 7; mov.b32 r2, %1; mov.b32 t, 0f3F800000;\n"
      "selp.b32 r1, r2, t, q; add.u32 %0, r1, -1; vote.sync.any.pred q, !p, 0xffffffff; mov.u32 v.x, %%laneid; }"
      : "=r"(b)
      : "r"(a));
  out[a] = b;
}

// Another's memory decides when this one ends.
// CHECK: kernel polls
// CHECK-NOT: ends
// CHECK-NEXT:   parameter flag : {{.*}} pointer read{{$}}
__global__ void polls(const unsigned *flag, unsigned n) {
  unsigned now = 0;
  while (now < n)
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(flag));
}
// CHECK: kernel branches
// CHECK-NOT: ends
// CHECK-NEXT:   parameter flag : {{.*}}unknown
__global__ void branches(unsigned *flag) {
  asm volatile("{ .reg .u32 v; .reg .pred p; WAIT: ld.volatile.global.u32 v, [%0]; setp.eq.u32 p, "
               "v, 0; @p bra WAIT; }" ::"l"(flag));
}
// An address that goes through a register.
// CHECK: kernel moved
// CHECK-NEXT:   parameter in : {{.*(escape|unknown)}}
__global__ void moved(const float *in, float *out) {
  asm volatile("{ .reg .u64 a; cvta.to.global.u64 a, %1; ld.global.f32 %0, [a]; }"
               : "=f"(out[0])
               : "l"(in));
}
// CHECK: kernel taken
// CHECK-NEXT:   parameter in : {{.*(escape|unknown)}}
__global__ void taken(float *in) {
  unsigned long long at;
  asm("mov.u64 %0, %1;" : "=l"(at) : "l"(in));
  *reinterpret_cast<float *>(at) = 1;
}
// CHECK: kernel made
// CHECK-NEXT:   parameter out : {{.*}}unknown
__global__ void made(float *out, unsigned low, unsigned high) {
  unsigned long long at;
  asm("mov.b64 %0, {%1, %2};" : "=l"(at) : "r"(low), "r"(high));
  *reinterpret_cast<float *>(at) = 1;
}
// Numbers in place of pointers.
// CHECK: kernel replaced
// CHECK-NEXT:   parameter table : {{.*}}unknown
// CHECK-NEXT:   parameter other : {{.*}}unknown
__global__ void replaced(float **table, float *other, unsigned long long number) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(table), "l"(number));
  *table[0] = 1;
}
// Instructions that are on no list: as good as a call.
// CHECK: kernel later
// CHECK-NOT: ends
// CHECK-NEXT:   parameter in : {{.*(escape|unknown)}}
__global__ void later(const float *in) {
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(in));
}
// A thread that may have gone, by what memory says, writes nothing.
// CHECK: kernel leaves
// CHECK-NEXT:   parameter out : float * 8 pointer write anywhere
__device__ void leave(const int *in) {
  if (in[0])
    asm volatile("exit;");
}
__global__ void leaves(float *out, const int *in) {
  leave(in);
  out[0] = 1;
}
// A pointer as it stands is one with a float's result, which the host's compile by clang does not know, too.
// CHECK: kernel loads {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write anywhere{{$}}
__global__ void loads(const float *in, float *out) {
  [in, out](int at) {
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(in));
    out[at] = v;
  }(threadIdx.x);
}
