// Searches by halves end, whatever they find in memory. Those that may stand still may not.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// ---- these end ----
// CHECK: kernel lower_bound {{.*}} ends keeps-globals{{$}}
__global__ void lower_bound(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel found_or_not {{.*}} ends keeps-globals{{$}}
__global__ void found_or_not(const int *a, int *o, int n, int v) {
  int lo = o[0], hi = n - 1;
  while (lo <= hi) {
    const int mid = lo + ((hi - lo) >> 1);
    const int x = a[mid];
    if (x == v) {
      *o = mid;
      return;
    }
    if (x < v)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
}
// CHECK: kernel three_ways {{.*}} ends keeps-globals{{$}}
__global__ void three_ways(const float *a, int *o, long long n, float v) {
  long long lo = 0, hi = n;
  while (lo < hi) {
    long long mid = lo + (hi - lo) / 2;
    if (a[mid] < v) {
      lo = mid + 1;
    } else if (a[mid] > v) {
      hi = mid;
    } else {
      o[1] = mid;
      break;
    }
  }
  *o = lo;
}
// CHECK: kernel apart {{.*}} ends keeps-globals{{$}}
__global__ void apart(const float *a, int *o, int n, float v) {
  int lo = 0, hi = n;
  while (hi - lo > 1) {
    int mid = (hi + lo) >> 1;
    a[mid] <= v ? lo = mid : hi = mid;
  }
  *o = lo;
}
// CHECK: kernel unsigned_apart {{.*}} ends keeps-globals{{$}}
__global__ void unsigned_apart(const float *a, unsigned *o, unsigned n, float v) {
  unsigned lo = o[0], hi = n;
  while (hi - lo > 1) {
    unsigned mid = lo + (hi - lo) / 2;
    if (a[mid] <= v)
      lo = mid;
    else
      hi = mid - 1;
  }
  *o = lo;
}
__device__ size_t find(const size_t *a, size_t lo, size_t hi, size_t v) {
  size_t mid;
  while (lo < hi && a[lo] != v) {
    mid = (lo + hi) >> 1;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}
// CHECK: kernel by_callee {{.*}} ends keeps-globals{{$}}
__global__ void by_callee(const size_t *a, size_t *o, size_t n) { *o = find(a, o[1], n, 7); }

// ---- these may not ----
// CHECK: kernel stays {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void stays(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid; // that it may be already
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel stays_closed {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void stays_closed(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo <= hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel rounds_up {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void rounds_up(const int *a, int *o, int hi, int v) {
  int lo = o[0]; // -3 + -2 is -5, half of it -2
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel wraps {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void wraps(const int *a, unsigned *o, unsigned n, int v) {
  unsigned lo = 0, hi = n;
  while (lo < hi) {
    unsigned mid = (lo + hi) / 2; // not if the sum has 33 bits
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel below_zero {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void below_zero(const int *a, size_t *o, size_t n, int v) {
  size_t lo = 0, hi = n;
  while (lo <= hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  *o = lo;
}
// CHECK: kernel sum_of_apart {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void sum_of_apart(const float *a, size_t *o, size_t n, float v) {
  size_t lo = o[0], hi = n; // stands still where lo is behind hi
  while (hi - lo > 1) {
    size_t mid = (lo + hi) / 2;
    if (a[mid] <= v)
      lo = mid;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel closed_unsigned {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void closed_unsigned(const float *a, unsigned *o, unsigned last, float v) {
  unsigned lo = 0, hi = last; // goes round where that is the largest number
  while (lo <= hi) {
    unsigned mid = lo + (hi - lo) / 2;
    if (a[mid] == v)
      break;
    lo = mid + 1;
  }
  *o = lo;
}
// CHECK: kernel one_side {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void one_side(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid + 1;
  }
  *o = lo;
}
// CHECK: kernel goes_on {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void goes_on(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] == 0)
      continue;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
// CHECK: kernel grows_again {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void grows_again(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
    if (a[lo] == v)
      hi = n;
  }
  *o = lo;
}
__device__ void reset(int &where, const int *a) { where = a[0]; }
// CHECK: kernel other_middle {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void other_middle(const int *a, int *o, int n, int v) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    reset(mid, a);
    if (a[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  *o = lo;
}
