// Loops whose counter runs after its bound, past it, or stands still: where memory alone ends them, they may wait.
// Those beside them that reach their bound do end.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>

// ---- these may wait ----
// CHECK: kernel bound_by_counter {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void bound_by_counter(const int *flag) {
  for (int k = 0; k < (*flag ? k + 1 : 3); ++k)
    ;
}
// CHECK: kernel bound_runs_ahead {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void bound_runs_ahead(const int *flag) {
  for (int k = 0, end = 3; k < end; ++k)
    end += *flag ? 1 : 0;
}
// CHECK: kernel both_rise {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void both_rise(const int *flag) {
  for (int k = 0, end = 3; k < end; ++k, ++end)
    if (*flag)
      break;
}
// CHECK: kernel cross_unequal {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void cross_unequal(const int *flag) {
  for (int low = 0, high = 5; low != high; ++low, --high)
    if (*flag)
      return;
}
// CHECK: kernel steps_over {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void steps_over(const int *flag) {
  for (int k = 0; k != 5; k += 2)
    if (*flag)
      break;
}
// CHECK: kernel never_zero {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void never_zero(const int *flag) {
  for (int k = 5; k; k -= 2)
    if (*flag)
      break;
}
// CHECK: kernel wraps_below {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void wraps_below(const int *flag) {
  for (unsigned k = 5; k > 0; k -= 2)
    if (*flag)
      break;
}
// CHECK: kernel too_narrow {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void too_narrow(const int *flag) {
  for (unsigned char k = 0; k < 300; ++k)
    if (*flag)
      break;
}
// CHECK: kernel zero_doubled {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void zero_doubled(const int *flag, int n) {
  for (int k = n; k < 100; k *= 2)
    if (*flag)
      break;
}
// CHECK: kernel zero_halved {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void zero_halved(const int *flag) {
  for (int k = 64; k >= 0; k /= 2)
    if (*flag)
      break;
}
// CHECK: kernel negative_shifted {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void negative_shifted(const int *flag, int n) {
  for (int k = n; k != 0; k >>= 1)
    if (*flag)
      break;
}
// CHECK: kernel halves_past_one {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void halves_past_one(const int *flag, int n) {
  for (int k = n; k != 1; k /= 2)
    if (*flag)
      break;
}
// CHECK: kernel narrower_than_bound {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void narrower_than_bound(const int *flag, unsigned n) {
  for (unsigned short k = 0; k < n; ++k)
    if (*flag)
      break;
}
// CHECK: kernel wraps_over_the_end {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void wraps_over_the_end(const int *flag, unsigned n) {
  for (unsigned k = 1; k < n; k += 3)
    if (*flag)
      break;
}
// CHECK: kernel never_beyond {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void never_beyond(const int *flag, unsigned n) {
  for (unsigned k = 0; k <= n; ++k)
    if (*flag)
      break;
}
// CHECK: kernel never_below {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void never_below(const int *flag, unsigned n) {
  for (unsigned k = 9; k >= n; --k)
    if (*flag)
      break;
}
// CHECK: kernel doubled_to_zero {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void doubled_to_zero(const int *flag, unsigned n) {
  for (unsigned k = 1; k < n; k *= 2)
    if (*flag)
      break;
}
// CHECK: kernel doubled_to_zero_before {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void doubled_to_zero_before(const int *flag) {
  for (unsigned k = 1; k < 3000000000u; k *= 2)
    if (*flag)
      break;
}
// CHECK: kernel shifted_out {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void shifted_out(const int *flag, int n) {
  for (int k = 1; k < n; k <<= 1)
    if (*flag)
      break;
}
// CHECK: kernel bound_wraps {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void bound_wraps(const int *flag, unsigned n) {
  for (unsigned low = 0, high = n; low < high; ++low, high -= 5)
    if (*flag)
      break;
}

// ---- these end ----
// CHECK: kernel converge {{.*}} ends keeps-globals{{$}}
__global__ void converge(const int *flag, int n) {
  for (int low = 0, high = n; low < high; ++low, --high)
    if (flag[low])
      return;
}
// CHECK: kernel bound_stays {{.*}} ends keeps-globals{{$}}
__global__ void bound_stays(const int *flag, int n) {
  const int end = n + flag[0];
  for (int k = flag[1]; k < end; k += 3)
    if (flag[k])
      break;
  for (int k = n; k != 0; --k)
    if (flag[k])
      break;
  for (unsigned k = 5; k > 0; --k)
    if (flag[k])
      break;
  for (unsigned char k = 0; k < 200; ++k)
    if (flag[k])
      break;
}
// CHECK: kernel scaled {{.*}} ends keeps-globals{{$}}
__global__ void scaled(const int *flag, unsigned n) {
  for (int k = 1; k < 100; k *= 2)
    if (flag[k])
      break;
  for (int k = 64; k >= 1; k /= 2)
    if (flag[k])
      break;
  for (unsigned k = n; k != 0; k >>= 1)
    if (flag[k])
      break;
  for (int k = 16; k; k >>= 1)
    if (flag[k])
      break;
}
// CHECK: kernel in_reach {{.*}} ends keeps-globals{{$}}
__global__ void in_reach(const int *flag, int n, unsigned m, unsigned short few, size_t many) {
  for (int k = 0; k < n; k += 3)
    if (flag[k])
      break;
  for (int k = 0; k <= n; ++k)
    if (flag[k])
      break;
  for (unsigned k = 0; k < m; ++k)
    if (flag[k])
      break;
  for (unsigned k = 0; k <= few; k += 3)
    if (flag[k])
      break;
  for (size_t k = threadIdx.x; k < n; k += blockDim.x)
    if (flag[k])
      break;
  for (size_t k = 0; k < many; ++k)
    if (flag[k])
      break;
  for (int k = 1; k < n; k *= 2)
    if (flag[k])
      break;
  for (unsigned k = 1; k < 1024; k <<= 1)
    if (flag[k])
      break;
  for (unsigned low = 0, high = m; low < high; ++low, --high)
    if (flag[low])
      break;
}
int main() { return 0; }
