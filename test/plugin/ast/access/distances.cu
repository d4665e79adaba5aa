// Distances between pointers: `a + (b - a)` leads where b does.
// SPDX-License-Identifier: Apache-2.0
//
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
typedef unsigned long long u64;

// CHECK: kernel sum
// CHECK-NEXT: parameter a : float * 8 pointer write
// CHECK-NEXT: parameter b : float * 8 pointer write
__global__ void sum(float *a, float *b) { *(a + (b - a)) = 1; }
// CHECK: kernel subscript
// CHECK-NEXT: parameter a : float * 8 pointer write
// CHECK-NEXT: parameter b : float * 8 pointer write
__global__ void subscript(float *a, float *b) {
  long n = b - a;
  n += 2;
  a[n] = 1;
}
// CHECK: kernel assigned
// CHECK-NEXT: parameter a : char * 8 pointer write
// CHECK-NEXT: parameter b : char * 8 pointer write
__global__ void assigned(char *a, char *b) {
  u64 n;
  n = b - a;
  a += n;
  *a = 1;
}
__device__ long gap(const float *a, const float *b) { return b - a; }
// CHECK: kernel returned
// CHECK-NEXT: parameter a : float * 8 pointer write
// CHECK-NEXT: parameter b : float * 8 pointer write
__global__ void returned(float *a, float *b) { a[gap(a, b)] = 1; }
// As a number of a call, of an object or in memory it is followed no further: somebody may add it
// to either of the two.
__device__ void put(float *a, long n) { a[n] = 1; }
// CHECK: kernel handed
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void handed(float *a, float *b) { put(a, b - a); }
// CHECK: kernel captured
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void captured(float *a, float *b) {
  auto put = [n = b - a](float *to) { to[n] = 1; };
  put(a);
}
struct Far {
  float *from;
  long by;
};
// CHECK: kernel listed
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void listed(float *a, float *b) {
  Far far = {nullptr, b - a};
  a[far.by] = 1;
}
// CHECK: kernel set
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void set(float *a, float *b) {
  Far far;
  far.by = b - a;
  a[far.by] = 1;
}
// CHECK: kernel stored
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void stored(float *a, float *b) {
  __shared__ long by[32];
  by[threadIdx.x] = b - a;
  a[by[threadIdx.x]] = 1;
}
__device__ void measure(long &by, const float *a, const float *b) { by = b - a; }
// CHECK: kernel measured
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void measured(float *a, float *b) {
  long by;
  measure(by, a, b);
  a[by] = 1;
}
struct Number {
  long by;
  __device__ Number(long by) : by(by) {}
};
// CHECK: kernel made
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void made(float *a, float *b) { a[Number(b - a).by] = 1; }
struct Plain {
  long by;
  __device__ void set(long to) { by = to; }
  __device__ long get() const { return by; }
};
// CHECK: kernel told
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void told(float *a, float *b) {
  Plain plain;
  plain.set(b - a);
  a[plain.by] = 1;
}
// CHECK: kernel asked
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void asked(float *a, float *b) {
  Plain plain;
  plain.by = b - a;
  a[plain.get()] = 1;
}
__device__ Plain between(float *a, float *b) {
  Plain plain;
  plain.by = b - a;
  return plain;
}
// CHECK: kernel given
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void given(float *a, float *b) { a[between(a, b).by] = 1; }
__device__ long same(long n) { return n; }
// CHECK: kernel back
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void back(float *a, float *b) { a[same(b - a)] = 1; }
// CHECK: kernel exchanged
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void exchanged(float *a, float *b) {
  __shared__ int by;
  atomicExch(&by, int(b - a));
  a[by] = 1;
}
// CHECK: kernel bound
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void bound(float *a, float *b) {
  const long &by = b - a;
  a[by] = 1;
}
// CHECK: kernel moved
// CHECK-NEXT: parameter a : float * 8 pointer write escape
// CHECK-NEXT: parameter b : float * 8 pointer escape
__global__ void moved(float *a, float *b) {
  long by;
  asm("mov.b64 %0, %1;" : "=l"(by) : "l"(b - a));
  a[by] = 1;
}
// Two pointers of an object that is not known apart, or that lies in memory.
struct Ends {
  float *begin, *end;
};
__device__ void between(Ends in, float *a) { a[in.end - in.begin] = 1; }
// CHECK: kernel mixed
// CHECK-NEXT: parameter a : float * 8 pointer write
// CHECK-NEXT: parameter b : float * 8 pointer write
__global__ void mixed(float *a, float *b) {
  Ends ends;
  ends.begin = a;
  ends.end = b;
  between(ends, a);
}
// CHECK: kernel tabled
// CHECK-NEXT: parameter t : float ** 8 pointer read follow{{$}}
__global__ void tabled(float **t, float *a) { a[t[1] - t[0]] = 1; }
// Arithmetic, and local variables without pointers.
struct Pair {
  long x, y;
};
// CHECK: kernel copied
// CHECK-NEXT: parameter a : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: parameter b : float * 8 pointer write{{( anywhere)?$}}
__global__ void copied(float *a, float *b) {
  Pair p;
  p.x = b - a;
  Pair q = p;
  double n = q.x;
  auto add = [&] { a[long(n)] = 1; };
  add();
}
// From null it is an address, from shared memory as good as one.
// CHECK: kernel address
// CHECK-NEXT: parameter out : u64 * 8 pointer write
// CHECK-NEXT: parameter a : char * 8 pointer escape unknown
__global__ void address(u64 *out, char *a) { out[0] = a - (char *)nullptr; }
// CHECK: kernel shared
// CHECK-NEXT: parameter a : char * 8 pointer write escape unknown
__global__ void shared(char *a) {
  __shared__ char place[8];
  place[a - place] = 1;
}

// What is only counted or compared leads nowhere.
struct View {
  float *begin, *end;
  __device__ long size() const { return end - begin; }
};
// CHECK: kernel counted
// CHECK-NEXT: parameter v : View 16 aggregate write{{( anywhere)?$}}
// CHECK-NEXT:   member at 0 write{{( anywhere)?$}}
// CHECK-NEXT:   member at 8{{$}}
// CHECK-NEXT: parameter x : View 16 aggregate read
// CHECK-NEXT:   member at 0 read{{$}}
// CHECK-NEXT:   member at 8{{$}}
__global__ void counted(View v, View x) {
  for (long i = 0; i < v.size() && i < x.end - x.begin; ++i)
    v.begin[i] = x.begin[i];
}
// CHECK: kernel within
// CHECK-NEXT: parameter a : float * 8 pointer write
// CHECK-NEXT: parameter b : const float * 8 pointer read{{$}}
__global__ void within(float *a, const float *b) {
  const float *p = b;
  while (p - b < 4)
    ++p;
  a[p - b] = *p;
}
