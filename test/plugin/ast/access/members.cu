// What a kernel does through each pointer of a parameter by value, where its code names the member.
// What is told of the parameter is of all of them.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>

struct Mesh {
  int n;
  const float *points;
  const float *normals;
  float *lengths;
};
__device__ float unseen(Mesh m);
__device__ float unseenOf(const float *p);
__device__ float seen(const Mesh &m, int i) { return m.points[i]; }
__device__ void exchange(Mesh &m) { m.lengths = const_cast<float *>(m.normals); }

// CHECK-LABEL: kernel named
// CHECK-NEXT: m : Mesh 32 aggregate read write{{$}}
// CHECK-NEXT: {{^}}    member at 8 read{{$}}
// CHECK-NEXT: {{^}}    member at 16{{$}}
// CHECK-NEXT: {{^}}    member at 24 write{{$}}
__global__ void named(Mesh m) {
  int i = threadIdx.x;
  if (i < m.n)
    m.lengths[i] = m.points[i];
}
// CHECK-LABEL: kernel through_a_reference
// CHECK-NEXT: m : Mesh 32 aggregate read write
// CHECK-NEXT: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24 write
__global__ void through_a_reference(const Mesh m) {
  const Mesh &same = m;
  const float *from = same.points;
  float *to = same.lengths;
  to[threadIdx.x] = from[threadIdx.x];
}
// A local copy, and what a callee gets, are known apart, too.
// CHECK-LABEL: kernel copied
// CHECK: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24 write{{$}}
__global__ void copied(Mesh m) {
  Mesh other = m;
  m.lengths[0] = other.points[0];
}
// CHECK-LABEL: kernel passed_on
// CHECK: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24 write{{( anywhere)?$}}
__global__ void passed_on(Mesh m) { m.lengths[0] = seen(m, 0); }
// CHECK-LABEL: kernel passed_out_of_sight
// CHECK: at 8 escape unknown{{$}}
// CHECK-NEXT: at 16 escape unknown{{$}}
// CHECK-NEXT: at 24 write escape unknown
__global__ void passed_out_of_sight(Mesh m) { m.lengths[0] = unseen(m); }
// CHECK-LABEL: kernel one_passed_out_of_sight
// CHECK: at 8 escape unknown{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24 write{{( anywhere)?$}}
__global__ void one_passed_out_of_sight(Mesh m) { m.lengths[0] = unseenOf(m.points); }
// Where it has been given another pointer, nobody knows which member is which.
// CHECK-LABEL: kernel reassigned
// CHECK: at 8 read write
// CHECK-NEXT: at 16 read write
// CHECK-NEXT: at 24 read write
__global__ void reassigned(Mesh m) {
  if (m.n)
    m.points = m.normals;
  m.lengths[0] = m.points[0];
}
// CHECK-LABEL: kernel reassigned_by_a_callee
// CHECK: at 8 write
// CHECK-NEXT: at 16 write
// CHECK-NEXT: at 24 write
__global__ void reassigned_by_a_callee(Mesh m) {
  exchange(m);
  m.lengths[0] = 1;
}
// CHECK-LABEL: kernel address_taken
// CHECK: at 8 {{.*}}escape
// CHECK-NEXT: at 16 {{.*}}escape
// CHECK-NEXT: at 24 {{.*}}escape
__global__ void address_taken(Mesh m) {
  const float **member = &m.points;
  m.lengths[0] = member[1][0];
}
// CHECK-LABEL: kernel as_words
// CHECK: at 8 {{.*}}escape
// CHECK-NEXT: at 16 {{.*}}escape
// CHECK-NEXT: at 24 {{.*}}escape
__global__ void as_words(Mesh m) {
  float *p = const_cast<float *>(reinterpret_cast<const float *const &>(m.normals));
  unsigned long word;
  memcpy(&word, &m.n, 8);
  p[0] = word;
}

struct Both {
  Mesh in, out;
  float *rows[3];
};
// CHECK-LABEL: kernel nested
// CHECK-NEXT: b : Both 88 aggregate
// CHECK-NEXT: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24{{$}}
// CHECK-NEXT: at 40{{$}}
// CHECK-NEXT: at 48{{$}}
// CHECK-NEXT: at 56 write
// CHECK-NEXT: at 64{{$}}
// CHECK-NEXT: at 72 read{{$}}
// CHECK-NEXT: at 80{{$}}
__global__ void nested(Both b) { b.out.lengths[0] = b.in.points[0] + b.rows[1][0]; }
// CHECK-LABEL: kernel inner_copied
// CHECK: at 8{{$}}
// CHECK: at 40 read{{$}}
// CHECK-NEXT: at 48{{$}}
// CHECK-NEXT: at 56{{$}}
// CHECK-NEXT: at 64 write
__global__ void inner_copied(Both b) {
  Mesh m = b.out;
  b.rows[0][0] = m.points[0];
}
// CHECK-LABEL: kernel indexed
// CHECK: at 56 write
// CHECK-NEXT: at 64 write
// CHECK-NEXT: at 72 write
// CHECK-NEXT: at 80 write
__global__ void indexed(Both b, int i) { b.rows[i][0] = 1; }
// CHECK-LABEL: kernel indexed_past_the_end
// CHECK: at 56 write
// CHECK-NEXT: at 64 write
// CHECK-NEXT: at 72 write
// CHECK-NEXT: at 80 write
__global__ void indexed_past_the_end(Both b) { b.rows[3][0] = 1; }

struct Derived : Mesh {
  float *more;
  union {
    float *pointer;
    long number;
  };
};
// CHECK-LABEL: kernel of_a_base
// CHECK: at 8{{$}}
// CHECK-NEXT: at 16 read{{$}}
// CHECK-NEXT: at 24{{$}}
// CHECK-NEXT: at 32 write
__global__ void of_a_base(Derived d) { d.more[0] = d.normals[0]; }
// CHECK-LABEL: kernel as_its_base
// CHECK: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24{{$}}
// CHECK-NEXT: at 32 write
__global__ void as_its_base(Derived d) {
  const Mesh &m = d;
  d.more[0] = m.points[0];
}

struct Levels {
  float **tables;
  float *out;
  Mesh *mesh;
};
// CHECK-LABEL: kernel pointers_behind
// CHECK: at 0 read follow{{$}}
// CHECK-NEXT: at 8 write
// CHECK-NEXT: at 16{{$}}
__global__ void pointers_behind(Levels l) { l.out[0] = l.tables[0][0]; }
// CHECK-LABEL: kernel stored
// CHECK: at 0 write{{( anywhere)?$}}
// CHECK-NEXT: at 8 escape{{$}}
// CHECK-NEXT: at 16{{$}}
__global__ void stored(Levels l) { l.tables[0] = l.out; }

struct Single {
  float *only;
  int n;
};
// CHECK-LABEL: kernel single
// CHECK-NEXT: s : Single 16 aggregate write
// CHECK-NOT: member
// CHECK-LABEL: kernel two
__global__ void single(Single s) { s.only[0] = 1; }
// CHECK-NEXT: a : Mesh 32 aggregate read
// CHECK-NEXT: at 8 read{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24{{$}}
// CHECK-NEXT: b : Mesh 32 aggregate write
// CHECK-NEXT: at 8{{$}}
// CHECK-NEXT: at 16{{$}}
// CHECK-NEXT: at 24 write
__global__ void two(Mesh a, Mesh b) { b.lengths[0] = a.points[0]; }

struct Many {
  float *p[40];
};
// More pointers than there is room for: the last ones are told of together.
// CHECK-LABEL: kernel many
// CHECK-NEXT: m : Many 320 aggregate read write
// CHECK-NEXT: at 0 write
// CHECK-NEXT: at 8{{$}}
// CHECK-NOT: at 312
__global__ void many(Many m) { m.p[0][0] = m.p[39][0]; }
