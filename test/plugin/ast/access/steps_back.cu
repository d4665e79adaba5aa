// Which kernels step back from a pointer as it comes, as from the end of an array.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>

struct Part {
  int *end;
  const int *other;
};
template <class T> struct reverse_iterator {
  T current;
  int n;
  __device__ int &operator*() const {
    T before = current;
    return *--before;
  }
};
__device__ int unseen(const int *p);
__device__ void setLast(int *end) { end[-1] = 1; }

// CHECK-LABEL: kernel negativeIndex
// CHECK-NEXT: end : const int * 8 pointer read before{{$}}
// CHECK-NEXT: out : int * 8 pointer write{{$}}
__global__ void negativeIndex(const int *end, int *out, int i) { out[i] = end[-1 - i]; }
// CHECK-LABEL: kernel negated
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void negated(int *end, int i) { end[-i] = 1; }
// CHECK-LABEL: kernel inverted
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void inverted(int *end, int i) { end[~i] = 1; }
// CHECK-LABEL: kernel strided
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void strided(int *end, int i, int s) { end[-i * s - 1] = 1; }
// CHECK-LABEL: kernel subtracted
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void subtracted(int *end, int i) { *(end - i) = 1; }
// CHECK-LABEL: kernel decremented
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void decremented(int *end, int i) {
  while (i--)
    *--end = 1;
}
// CHECK-LABEL: kernel decrementedBehind
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void decrementedBehind(int *end) {
  end--;
  *end = 1;
}
// CHECK-LABEL: kernel moved
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void moved(int *end, int i) {
  end -= i;
  *end = 1;
}
// CHECK-LABEL: kernel movedByNegative
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void movedByNegative(int *end, int i) {
  end += -i;
  *end = 1;
}
// CHECK-LABEL: kernel inCallee
// CHECK-NEXT: end : int * 8 pointer write before{{$}}
__global__ void inCallee(int *end) { setLast(end); }
// CHECK-LABEL: kernel inMember
// CHECK-NEXT: part : Part 16 aggregate read write before{{$}}
// CHECK-NEXT: {{^}}    member at 0 write before{{$}}
// CHECK-NEXT: {{^}}    member at 8 read{{$}}
__global__ void inMember(Part part) { part.end[-1] = part.other[0]; }
// CHECK-LABEL: kernel byIterator
// CHECK-NEXT: last : reverse_iterator<int *> 16 aggregate write before{{$}}
__global__ void byIterator(reverse_iterator<int *> last) { *last = 1; }
// What is not seen may step back from that one: its type says so.
// CHECK-LABEL: kernel unseenIterator
// CHECK-NEXT: last : reverse_iterator<const int *> 16 aggregate escape unknown before{{$}}
__global__ void unseenIterator(reverse_iterator<const int *> last) { unseen(last.current); }

// None of these: the index is no less than it begins with, or there is a way to go back.
// CHECK-LABEL: kernel stencil
// CHECK-NEXT: p : const int * 8 pointer read{{$}}
// CHECK-NEXT: out : int * 8 pointer write{{$}}
__global__ void stencil(const int *p, int *out, int i, int n) {
  out[n - 1 - i] = p[i - 1] + p[i + 1] + *(p + i - 1) + p[255 - i];
}
// CHECK-LABEL: kernel forwards
// CHECK-NEXT: p : int * 8 pointer write{{$}}
__global__ void forwards(int *p, int i) {
  p -= -4;
  *p++ = 2;
  p[+3] = -i;
}
// CHECK-LABEL: kernel ofNumbers
// CHECK-NEXT: p : int * 8 pointer read write anywhere{{$}}
__global__ void ofNumbers(int *p, int i) {
  atomicSub(p, i);
  --p[1];
  p[2] -= 3;
}
// CHECK-LABEL: kernel inShared
// CHECK-NEXT: p : const int * 8 pointer read{{$}}
__global__ void inShared(const int *p, int i) {
  __shared__ int s[64];
  s[i + 32] = p[i];
  (s + 32)[-i] = 2;
}
