// A loop that counts writes a row of elements: a later loop over the same ones reads what the thread has written, and
// so does an index that can be none but one of them.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

// CHECK-LABEL: kernel counts {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void counts(const double *x, double *s, int n, int K, int M) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && K > 0) {
    int k, best;
    for (k = 0; k < K; ++k) {
      s[i * K + k] = 0.0;
    }
    for (int m = 0; m < M; ++m) {
      best = K - 1;
      for (k = 0; k < (K - 1); ++k)
        if (x[k] > x[best])
          best = k;
      s[i * K + best] += 1.0;
    }
    for (k = 0; k < K; ++k)
      s[i * K + k] /= M;
  }
}
// CHECK-LABEL: kernel strides {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void strides(const float *x, float *s, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int j = 0; j < n; ++j)
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] += x[i];
}
// CHECK-LABEL: kernel fixed {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void fixed(const float *x, float *s) {
  int i = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 3; k++) s[3 * i + k] = 0;
  s[3 * i + 2] += x[i];
  for (int k = 0; k < 2; k++) s[3 * i + k] += x[k];
}
// CHECK-LABEL: kernel decided {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void decided(const int *x, int *s, int n) {
  int *row = s + threadIdx.x * n, best = 0;
  if (n < 1) return;
  for (int k = 0; k < n; k++) row[k] = 0;
  for (int k = 1; k < n; k++) {
    if (x[k] < 0) continue;
    if (x[k] > x[best]) best = k;
    row[k] += 1;
  }
  row[best]++;
}
// CHECK-LABEL: kernel nested {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void nested(const float *x, float *s, int n, int m) {
  float *own = s + threadIdx.x * n * m;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) own[i * m + j] = 0;
  for (int r = 0; r < n; r++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) own[i * m + j] += x[r] * x[j];
}
// CHECK-LABEL: kernel three_deep {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void three_deep(float *s, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      for (int k = threadIdx.x; k < n; k += blockDim.x) s[(i * 4 + j) * n + k] = 1;
  for (int i = 0; i < n; i++)
    for (int k = threadIdx.x; k < n; k += blockDim.x) s[(i * 4 + 3) * n + k] *= 2;
}

// Each of these may read what was there.
// CHECK-LABEL: kernel triangle {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void triangle(float *s, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) s[i * n + j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s[i * n + j] += 1;
}
// CHECK-LABEL: kernel turned {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void turned(float *s, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s[i * m + j] = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) s[j * m + i] += 1;
}
// CHECK-LABEL: kernel wider {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void wider(float *s, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s[i * m + j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= m; j++) s[i * m + j] += 1;
}
// CHECK-LABEL: kernel skips_rows {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void skips_rows(float *s, const int *x, int n, int m) {
  for (int i = 0; i < n; i++) {
    if (x[i]) continue;
    for (int j = 0; j < m; j++) s[i * m + j] = 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s[i * m + j] += 1;
}
// CHECK-LABEL: kernel narrows {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void narrows(float *s, int n, int m) {
  int width = m;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < width; j++) s[i * m + j] = 0;
    width--;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < width; j++) s[i * m + j] += 1;
}
// CHECK-LABEL: kernel by_data {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void by_data(const int *x, int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  s[x[threadIdx.x]] += 1;
}
// CHECK-LABEL: kernel longer {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void longer(int *s, int n, int m) {
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < m; k++) s[k] += 1;
}
// CHECK-LABEL: kernel inclusive {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void inclusive(int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k <= n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel starts_before {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void starts_before(int *s, int n) {
  for (int k = 1; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel steps_over {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void steps_over(int *s, int n) {
  for (int k = 0; k < n; k += 2) s[k] = 0;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel leaves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void leaves(int *s, int n, int m) {
  for (int k = 0; k < n; k++) {
    if (k == m) break;
    s[k] = 0;
  }
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel skips {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void skips(int *s, int n, int m) {
  for (int k = 0; k < n; k++)
    if (k != m) s[k] = 0;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel behind_the_last {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void behind_the_last(int *s, int n) {
  int k;
  for (k = 0; k < n; k++) s[k] = 0;
  s[k] += 1;
}
// CHECK-LABEL: kernel another_row {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void another_row(int *s, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; k++) s[i * n + k] = 0;
  for (int k = 0; k < n; k++) s[i * n + k + 1] += 1;
}
// CHECK-LABEL: kernel row_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void row_moves(int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  s += n;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel bound_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void bound_moves(int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  n *= 2;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel bound_moves_inside {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void bound_moves_inside(int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++) {
    n += k & 1;
    s[k] += 1;
  }
}
// CHECK-LABEL: kernel counter_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void counter_moves(int *s, int n) {
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++) {
    ++k;
    s[k] += 1;
  }
}
// CHECK-LABEL: kernel best_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void best_moves(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++)
    if (x[k] > x[best]) best = k;
  ++best;
  s[best] += 1;
}
// CHECK-LABEL: kernel best_of_more {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void best_of_more(const int *x, int *s, int n, int m) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < m; k++)
    if (x[k] > x[best]) best = k;
  s[best] += 1;
}
__device__ void choose(int &best, int n) { best = n; }
// CHECK-LABEL: kernel best_given_away {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void best_given_away(const int *x, int *s, int n) {
  int best = 0;
  for (int k = 0; k < n; k++) s[k] = 0;
  choose(best, n);
  s[best] += 1;
}
// CHECK-LABEL: kernel two_at_once {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void two_at_once(int *s, int n) {
  for (int k = 0; k < n; k++) s[k * n + k] = 0;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) s[k * n + l] += 1;
}
// CHECK-LABEL: kernel bound_in_memory {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void bound_in_memory(int *s, const int *n) {
  for (int k = 0; k < *n; k++) s[k] = 0;
  for (int k = 0; k < *n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel one_side {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void one_side(int *s, int n, int m) {
  if (m)
    for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel narrow {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void narrow(int *s, int n) {
  for (unsigned char k = 0; k < 16; k++) s[k] = 0;
  for (int k = 0; k < 17; k++) s[(unsigned char)k] += 1;
}
// A parameter has a value before it is set.
// CHECK-LABEL: kernel best_is_given {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void best_is_given(int *s, int n, int m, int best) {
  for (int k = 0; k < n; k++) s[k] = 0;
  if (m) best = 0;
  s[best] += 1;
}
// CHECK-LABEL: kernel best_is_given_or_searched {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void best_is_given_or_searched(const int *x, int *s, int n, int best) {
  for (int k = 0; k < n; k++) s[k] = 0;
  for (int k = 0; k < n; k++)
    if (x[k] > 3) best = k;
  s[best] += 1;
}
// Nobody knows whether there is anything to clear.
// CHECK-LABEL: kernel clears_some {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void clears_some(int *s, int clear) {
  for (int k = 0; k < clear; k++) s[k] = 0;
  s[0] += 1;
}
// CHECK-LABEL: kernel clears_some_by_name {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void clears_some_by_name(int *s, int clear) {
  int at = 0;
  for (int k = 0; k < clear; k++) s[k] = 0;
  s[at] += 1;
}
// CHECK-LABEL: kernel last_before_the_first {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void last_before_the_first(int *s, int n) {
  int last = n - 1;
  for (int k = 1; k < n; k++) s[k] = 0;
  s[last] += 1;
}
// CHECK-LABEL: kernel clears_none {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
constexpr int None = 0;
__global__ void clears_none(int *s) {
  for (int k = 0; k < None; k++) s[k] = 0;
  s[0] += 1;
}

// The index has a name of its own.
// CHECK-LABEL: kernel named_index {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void named_index(const double *x, double *s, int n, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < K; ++k) {
    int at = i * K + k;
    s[at] = 0;
  }
  for (int k = 0; k < K; ++k) {
    const int here = i * K + k;
    s[here] += x[k];
  }
  for (int k = 0; k < K; ++k) s[i * K + k] *= 2;
}
// CHECK-LABEL: kernel named_rows {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void named_rows(const float *x, float *s, int n, int m) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int row = i * m;
    for (int j = 0; j < m; j++) {
      int at = row + j;
      s[at] = 0;
    }
    for (int j = 0; j < m; j++) s[row + j] += x[j];
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int j = 0; j < m; j++) {
      unsigned other = i;
      int row = i * m, at = row + j;
      s[at] += x[other];
    }
}
// CHECK-LABEL: kernel wraps_alike {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void wraps_alike(float *s, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    unsigned at = k * 2654435761u;
    s[at] = 0;
  }
  for (unsigned k = 0; k < n; k++) {
    unsigned at = k * 2654435761u;
    s[at] += 1;
  }
}
// CHECK-LABEL: kernel name_narrows {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void name_narrows(float *s, unsigned long long n) {
  for (unsigned long long k = 0; k < n; k++) {
    unsigned at = k * 3;
    s[at] = 0;
  }
  for (unsigned long long k = 0; k < n; k++) s[k * 3] += 1;
}
// CHECK-LABEL: kernel name_widens {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void name_widens(float *s, unsigned n) {
  for (unsigned k = 0; k < n; k++) s[k * 3] = 0;
  for (unsigned k = 0; k < n; k++) {
    unsigned long long at = 3ull * k;
    s[at] += 1;
  }
}
// CHECK-LABEL: kernel name_set_again {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void name_set_again(float *s, int n, int m) {
  for (int k = 0; k < n; k++) {
    int at = k;
    if (k == m) at = 0;
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel name_stepped {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void name_stepped(float *s, int n) {
  for (int k = 0; k < n; k++) {
    int at = k;
    s[at++] = 0;
    s[at] = 1;
  }
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel name_given_away {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__device__ void move(int *at) { *at = 0; }
__global__ void name_given_away(float *s, int n) {
  for (int k = 0; k < n; k++) {
    int at = k;
    move(&at);
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel part_changes {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void part_changes(float *s, int n, int m) {
  for (int k = 0; k < n; k++) {
    int at = m + k;
    m = 7;
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) s[m + k] += 1;
}
// CHECK-LABEL: kernel named_before {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void named_before(float *s, int n, int m) {
  int k = m, at = k;
  for (k = 0; k < n; k++) s[at] = 0;
  for (k = 0; k < n; k++) s[k] += 1;
}
// CHECK-LABEL: kernel by_memory {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void by_memory(const int *x, float *s, int n) {
  for (int k = 0; k < n; k++) {
    int at = x[k];
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) {
    int at = x[k];
    s[at] += 1;
  }
}
// CHECK-LABEL: kernel other_name {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void other_name(float *s, int n) {
  for (int k = 0; k < n; k++) {
    int at = 2 * k;
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) {
    int at = 2 * k + 1;
    s[at] += 1;
  }
}
// CHECK-LABEL: kernel keeps_one {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void keeps_one(float *s, int n) {
  for (int k = 0; k < n; k++) {
    static int at = 3;
    s[at] = 0;
  }
  for (int k = 0; k < n; k++) s[k] += 1;
}
