// Objects whose address a constructor keeps, or whose members' initialisers lead back into them:
// what they are given later escapes. Twins beside them keep nothing.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++20 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++20 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

struct Self {
  Self *me;
  float *p;
  __device__ Self() : me(this) {}
};
struct Plain {
  Plain *other;
  float *p;
  __device__ Plain() : other(nullptr) {}
};
struct Kept {
  float *p;
  __device__ Kept(Kept **slot) { *slot = this; }
};
struct Inner {
  Kept in;
  int n;
  __device__ Inner(Kept **slot) : in(slot) {}
};
struct Base {
  void *self;
  __device__ Base() { self = this; }
};
struct Derived : Base {
  float *p;
};
__device__ Kept make(Kept **slot) { return Kept(slot); }
__device__ void fill(Kept &k, float *o) { k.p = o; }

// ---- by constructors ----
// CHECK: kernel itself {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer read escape unknown follow{{$}}
__global__ void itself(float *out) {
  Self s;
  s.p = out;
  s.me->p[0] = 1;
}
// CHECK: kernel nobody {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer write anywhere{{$}}
__global__ void nobody(float *out) {
  Plain s;
  s.p = out;
  s.p[0] = 1;
}
// CHECK: kernel slot {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
__global__ void slot(float *out) {
  Kept *of, k(&of);
  k.p = out;
  of->p[0] = 1;
}
// CHECK: kernel member {{.*}} stub={{[^ ]+}}{{.*}}{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
__global__ void member(float *out) {
  Kept *of;
  Inner i(&of);
  i.in.p = out;
  of->p[0] = 1;
}
// CHECK: kernel base {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer read escape unknown follow{{$}}
__global__ void base(float *out) {
  Derived d;
  d.p = out;
  static_cast<Derived *>(d.self)->p[0] = 1;
}
// CHECK: kernel returned {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
__global__ void returned(float *out) {
  Kept *of;
  Kept k = make(&of);
  k.p = out;
  of->p[0] = 1;
}
// CHECK: kernel by_callee {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
__global__ void by_callee(float *out) {
  Kept *of, k[1] = {Kept(&of)};
  fill(k[0], out);
  of->p[0] = 1;
}
__device__ void take(Kept k, float *o, Kept **of) {
  k.p = o;
  (*of)->p[0] = 1;
}
// CHECK: kernel argument {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
__global__ void argument(float *out) {
  Kept *of;
  take(Kept(&of), out, &of);
}

// ---- by initialisers ----
struct Pair {
  float *p;
  float *q = p;
};
struct Alone {
  float *p;
  float *q = nullptr;
};
struct Refers {
  float *p;
  float *&r = p;
};
struct Functor {
  float *own;
  __device__ void pair(float *o) const {
    Pair v{o};
    v.q[0] = own[0];
  }
  __device__ void alone(float *o) const {
    Alone v{o};
    v.p[0] = own[0];
  }
  __device__ void refers(float *o) const {
    Refers v{o};
    v.r[0] = own[0];
  }
};
// CHECK: kernel initialised {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
// CHECK-NEXT: parameter f : {{.*}}Functor 8 aggregate escape unknown{{$}}
__global__ void initialised(float *out, Functor f) { f.pair(out); }
// CHECK: kernel not_initialised {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer write anywhere{{$}}
// CHECK-NEXT: parameter f : {{.*}}Functor 8 aggregate read{{$}}
__global__ void not_initialised(float *out, Functor f) { f.alone(out); }
// CHECK: kernel reference {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter out : float * 8 pointer escape unknown{{$}}
// CHECK-NEXT: parameter f : {{.*}}Functor 8 aggregate escape unknown{{$}}
__global__ void reference(float *out, Functor f) { f.refers(out); }

// ---- whose members a loop waits for ----
struct Waits {
  int x;
  int *q;
  __device__ Waits() : x(0), q(&x) {}
};
struct Counts {
  int x;
  int *q;
  __device__ Counts() : x(0), q(nullptr) {}
};
struct Led {
  int x;
  int *q = &x;
};
// CHECK: kernel waits {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
// CHECK-NEXT: parameter flag : volatile int * 8 pointer read{{$}}
__global__ void waits(volatile int *flag) {
  Waits w;
  for (int i = 0; w.x == 0 || i < 0; i = 1)
    *w.q = *flag;
}
// CHECK: kernel waits_by_initialiser {{.*}} stub={{[^ ]+}}{{$}}
// CHECK-NEXT: parameter flag : volatile int * 8 pointer unknown{{$}}
__global__ void waits_by_initialiser(volatile int *flag) {
  Led w{0};
  for (int i = 0; w.x == 0 || i < 0; i = 1)
    *w.q = *flag;
}
// CHECK: kernel counts {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter o : int * 8 pointer write anywhere{{$}}
__global__ void counts(int *o) {
  Counts c;
  for (; c.x < 5; ++c.x)
    o[c.x] = 1;
}
