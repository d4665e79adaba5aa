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
int main() { return 0; }
