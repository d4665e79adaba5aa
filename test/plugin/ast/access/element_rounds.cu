// A loop over n has no round where n is zero: who searches its row from the first element, or takes the last one, reads
// what was there. Known are those of which a guard, the loop around or constants say that it has one.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

// CHECK-LABEL: kernel searches {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void searches(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  s[best] += 1;
}
// CHECK-LABEL: kernel searches_some {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void searches_some(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n > 0) s[best] += 1;
}
// CHECK-LABEL: kernel leaves_without {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void leaves_without(const int *x, int *s, int n) {
  int best = 0, i = threadIdx.x;
  if (n <= 0 || x == nullptr) return;
  for (int k = 0; k < n; k++) s[i * n + k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  s[i * n + best] += 1;
}
// CHECK-LABEL: kernel leaves_with {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void leaves_with(const int *x, int *s, int n) {
  int best = 0;
  if (n > 0) return;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  s[best] += 1;
}
// CHECK-LABEL: kernel not_negative {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void not_negative(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n >= 0) s[best] += 1;
}
// CHECK-LABEL: kernel not_zero {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void not_zero(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n) s[best] += 1;
}
// CHECK-LABEL: kernel not_zero_unsigned {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{.*}}
__global__ void not_zero_unsigned(const int *x, int *s, unsigned n) {
  unsigned best = 0;
  for (unsigned k = 0; k < n; k++) s[k] = 0;
  for (unsigned k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n && x) s[best] += 1;
}
// CHECK-LABEL: kernel either {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void either(const int *x, int *s, int n, int m) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n > 0 || m > 0) s[best] += 1;
}
// CHECK-LABEL: kernel guards_another {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void guards_another(const int *x, int *s, int n, int m) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 1; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (m > 0) s[best] += 1;
}
// CHECK-LABEL: kernel guards_wider {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void guards_wider(const int *x, int *s, unsigned n) {
  int best = 0;
  for (int k = 0; k < (int)n; k++) s[k] = 0;
  for (int k = 1; k < (int)n; k++)
    if (x[k] > x[best]) best = k;
  if (n > 0) s[best] += 1;
}
// CHECK-LABEL: kernel starts_later {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void starts_later(const int *x, int *s, int n) {
  int best = 2;
  for (int k = 2; k < n; k++) s[k] = 0;
  for (int k = 2; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (n > 1) s[best] += 1;
}
// CHECK-LABEL: kernel starts_at {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{.*}}
__global__ void starts_at(const int *x, int *s, int from, int n) {
  int best = from;
  for (int k = from; k < n; k++) s[k] = 0;
  for (int k = from; k < n; k++)
    if (x[k] > x[best]) best = k;
  if (from < n) s[best] += 1;
}
// CHECK-LABEL: kernel around {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{.*}}
__global__ void around(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++) {
    if (x[k] > x[best]) best = k;
    s[best] += 1;
  }
}
// CHECK-LABEL: kernel by_block {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{.*}}
__global__ void by_block(const int *x, int *s) {
  unsigned best = 0;
  for (unsigned k = 0; k < blockDim.x; k++) s[k] = 0;
  for (unsigned k = 1; k < blockDim.x; k++)
    if (x[k] > x[best]) best = k;
  s[best] += 1;
}
// Without a round it was never set: nobody may read it.
// CHECK-LABEL: kernel searched_alone {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{.*}}
__global__ void searched_alone(const int *x, int *s, int n) {
  int best;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++)
    if (x[k] > 3) best = k;
  s[best] += 1;
}
// CHECK-LABEL: kernel last {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void last(int *s, int n) {
  int *row = s + 8, end = n - 1;
  for (int k = 0; k < n; k++) row[k] = 0;
  row[end] += 1;
}
// CHECK-LABEL: kernel last_of_some {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void last_of_some(int *s, int n) {
  int *row = s + 8, end = n - 1;
  if (!(n > 0)) return;
  for (int k = 0; k < n; k++) row[k] = 0;
  row[end] += 1;
}
// CHECK-LABEL: kernel chosen {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void chosen(int *s, int *to, int n) {
  int end = n - 1;
  for (int k = 0; k < n; k++) s[k] = 0;
  to[0] = n > 0 ? s[end] : 0;
}
// CHECK-LABEL: kernel chosen_wrong {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void chosen_wrong(int *s, int *to, int n) {
  int end = n - 1;
  for (int k = 0; k < n; k++) s[k] = 0;
  to[0] = n > 0 ? 0 : s[end];
}
// n - 1 is the largest number where n is zero.
// CHECK-LABEL: kernel one_below {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void one_below(int *s, unsigned n) {
  for (unsigned k = 0; k < n; ++k) s[k] = 0;
  for (unsigned k = 0; k < n - 1; ++k) {
    s[k] += 1;
    if (k == 3) break;
  }
}
// CHECK-LABEL: kernel one_below_signed {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void one_below_signed(int *s, int n) {
  for (int k = 0; k < n; ++k) s[k] = 0;
  for (int k = 0; k < n - 1; ++k) {
    s[k] += 1;
    if (k == 3) break;
  }
}
