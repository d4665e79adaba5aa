// Which kernels surely end, and which leave all global variables as they are. Silent (neither word)
// wherever the code may wait for the host or for another kernel, or cannot be seen.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cstdio>
#include <cuda_runtime.h>
__device__ int global_flag;
__device__ int global_sum;
__managed__ int managed_sum;
__constant__ float coefficients[4];
__device__ int *global_pointer;
__device__ float square(float x) { return x * x; }
__device__ int unseen(int);
__device__ int down(int n) { return n ? down(n - 1) : 0; }
__device__ void bump(int *where) { *where += 1; }
__device__ float add_float(float *p, float v) {
  int *as_int = (int *)p, old = *as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(as_int, assumed, assumed + 1);
  } while (assumed != old);
  return v;
}
struct Guard {
  int *p;
  __device__ ~Guard() { *p = 1; }
};

// ---- these end ----
// CHECK: kernel straight {{.*}} ends keeps-globals{{$}}
__global__ void straight(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = square(x[i]) * coefficients[1] + sqrtf(x[i]);
}
// CHECK: kernel bytes {{.*}} ends keeps-globals{{$}}
__global__ void bytes(unsigned *y, const unsigned *x) {
  y[0] = __vsads4(x[0], x[1]) + __vaddus2(x[0], x[1]) + __vcmpleu4(x[2], x[3]);
}
// CHECK: kernel grid_stride {{.*}} ends keeps-globals{{$}}
__global__ void grid_stride(float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = 1;
}
// CHECK: kernel size_t_counter {{.*}} ends keeps-globals{{$}}
__global__ void size_t_counter(float *y, size_t n) {
  for (size_t i = 0; i < n; ++i)
    y[i] = 1;
}
// CHECK: kernel reduction {{.*}} ends keeps-globals{{$}}
__global__ void reduction(float *out, const float *in) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  float v = s[0];
  for (int offset = 16; offset; offset /= 2)
    v += __shfl_down_sync(~0u, v, offset);
  out[0] = v;
}
// CHECK: kernel rows {{.*}} ends keeps-globals{{$}}
__global__ void rows(float *y, const int *start, const float *a, int n) {
  int row = threadIdx.x;
  if (row >= n)
    return;
  float sum = 0;
  for (int j = start[row]; j < start[row + 1]; ++j) {
    if (a[j] == 0)
      continue;
    sum += a[j];
  }
  y[row] = sum;
}
// CHECK: kernel bounded_search {{.*}} ends keeps-globals{{$}}
__global__ void bounded_search(const int *flag, int *out) {
  int i = 0;
  while (i < 1000 && flag[i] == 0)
    i++;
  *out = i;
}
// CHECK: kernel halving {{.*}} ends keeps-globals{{$}}
__global__ void halving(float *y, float eps) {
  float x = 1;
  do {
    x *= 0.5f;
    *y += x;
  } while (x > eps);
  do {
    *y = 0;
  } while (0);
}
// CHECK: kernel pointer_walk {{.*}} ends keeps-globals{{$}}
__global__ void pointer_walk(float *begin, float *end) {
  for (float *p = begin; p != end; ++p)
    *p = 0;
}
// CHECK: kernel array_range {{.*}} ends keeps-globals{{$}}
__global__ void array_range(float *y) {
  float t[4] = {1, 2, 3, 4};
  for (float v : t)
    *y += v;
}
// CHECK: kernel adds {{.*}} ends keeps-globals{{$}}
__global__ void adds(int *sum) {
  atomicAdd(sum, 1);
  printf("%d\n", 1);
}
// CHECK: kernel sums_globally {{.*}} ends{{$}}
__global__ void sums_globally() { atomicAdd(&global_sum, 1); }
// CHECK: kernel sums_managed {{.*}} ends{{$}}
__global__ void sums_managed() { managed_sum = 1; }
// CHECK: kernel sums_by_callee {{.*}} ends{{$}}
__global__ void sums_by_callee() { bump(&global_sum); }
// CHECK: kernel through_pointer {{.*}} ends{{$}}
__global__ void through_pointer() { *global_pointer = 1; }
// CHECK: kernel through_local {{.*}} ends{{$}}
__global__ void through_local(int *p, bool first) {
  int *q = first ? p : &global_sum;
  *q = 1;
}
// CHECK: kernel hands_on {{.*}} ends{{$}}
__global__ void hands_on(int **p) { *p = &global_sum; }
// CHECK: kernel static_local {{.*}} ends{{$}}
__global__ void static_local(int *p) {
  static int count;
  *p = count++;
}
// CHECK: kernel reads_global {{.*}} ends keeps-globals{{$}}
__global__ void reads_global(int *p) { *p = global_sum + managed_sum; }

// ---- these may wait ----
// CHECK: kernel polls {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void polls(volatile int *flag) {
  while (!*flag)
    ;
}
// CHECK: kernel polls_plainly {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void polls_plainly(int *flag) {
  while (*flag == 0)
    ;
}
// CHECK: kernel polls_global {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void polls_global() {
  while (global_flag == 0)
    ;
}
// CHECK: kernel polls_through_local {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void polls_through_local(const int *flag) {
  bool done = false;
  while (!done) {
    if (*flag)
      done = true;
  }
}
// CHECK: kernel polls_by_break {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void polls_by_break(const int *flag) {
  for (;;)
    if (*flag)
      break;
}
// CHECK: kernel counter_waits {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void counter_waits(const int *flag, int n) {
  int i = 0;
  while (i < n) {
    if (!*flag)
      continue;
    i++;
  }
}
// CHECK: kernel shift_waits {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void shift_waits(const int *flag, unsigned n) {
  while (n > 0) {
    for (int k = 0; k < 2; ++k) {
      if (!*flag)
        break;
      n >>= 1;
    }
  }
}
// CHECK: kernel counter_by_flag {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void counter_by_flag(const int *flag, int n) {
  for (int i = 0; i < n; i += *flag)
    ;
}
// CHECK: kernel inner_counter {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void inner_counter(const int *flag, int n) {
  for (int i = 0; i < n;)
    for (int j = 0; j < *flag; ++j)
      ++i;
}
// CHECK: kernel narrow_counter {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void narrow_counter(const int *flag) {
  for (unsigned char i = 0; i < 300 && !*flag; ++i)
    ;
}
// CHECK: kernel inclusive_bound {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void inclusive_bound(const unsigned *flag) {
  for (unsigned i = 0; i <= *flag; ++i)
    ;
}
// CHECK: kernel wide_bound {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void wide_bound(const size_t *flag) {
  for (size_t i = 0; i < *flag; ++i)
    ;
}
// CHECK: kernel volatile_bound {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void volatile_bound(const volatile int *flag) {
  for (int i = 0; i < *flag; ++i)
    ;
}
// CHECK: kernel either_way {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void either_way(const int *flag, int n) {
  for (int i = 0; i < n || !*flag; ++i)
    ;
}
// CHECK: kernel other_thread {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void other_thread(int n) {
  while (n > 0)
    n = __shfl_xor_sync(~0u, n, 1);
}
// CHECK: kernel clock_wait {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void clock_wait(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles)
    ;
}
// CHECK: kernel exposed_counter {{.*}}stub={{[^ ]*}}{{$}}
__global__ void exposed_counter(int n) {
  for (int i = 0; i < n; ++i)
    bump(&i);
  global_sum = 1;
}
// CHECK: kernel list_walk {{.*}}stub={{[^ ]*}}{{$}}
struct Node {
  Node *next;
};
__global__ void list_walk(Node *n) {
  while (n)
    n = n->next;
}
// CHECK: kernel spin_lock {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void spin_lock(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  atomicExch(lock, 0);
}
// CHECK: kernel cas_loop {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void cas_loop(float *p) { add_float(p, 1); }
// CHECK: kernel forever {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void forever(int on) {
  while (on)
    ;
}
// CHECK: kernel recursive {{.*}}stub={{[^ ]*}}{{$}}
__global__ void recursive(int n) { global_sum = down(n); }
// CHECK: kernel calls_unseen {{.*}}stub={{[^ ]*}}{{$}}
__global__ void calls_unseen(int n) { unseen(n); }
// CHECK: kernel assembly {{.*}}stub={{[^ ]*}}{{$}}
__global__ void assembly() { asm volatile("brkpt;"); }
// CHECK: kernel jumps {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void jumps(const int *flag) {
again:
  if (!*flag)
    goto again;
}
// CHECK: kernel indirect {{.*}}stub={{[^ ]*}}{{$}}
__global__ void indirect(void (*f)()) { f(); }
// CHECK: kernel destructor {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT: p : int * 8 pointer escape unknown{{$}}
__global__ void destructor(int *p) { Guard g{p}; }
// CHECK: kernel arch_dependent {{.*}}stub={{[^ ]*}}{{$}}
__global__ void arch_dependent(const int *flag) {
#ifdef __CUDA_ARCH__
  while (!*flag)
    ;
#endif
}
// Left as memory says, and in no other way.
// CHECK: kernel always_true {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void always_true(const int *flag, unsigned n) {
  for (unsigned i = n; i >= 0; --i)
    if (*flag)
      break;
}
// CHECK: kernel backs_off {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void backs_off(const int *flag) {
  unsigned pause = 8;
  while (pause) {
    if (*flag)
      return;
    __nanosleep(pause);
    pause = pause < 256 ? pause * 2 : 256;
  }
}
// CHECK: kernel set_anew {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void set_anew(const int *flag) {
  int go = 1;
  while (go != 0) {
    if (*flag)
      break;
    go = 1;
  }
}
// Memory may end them early.
// CHECK: kernel early_break {{.*}} ends keeps-globals{{$}}
__global__ void early_break(const int *flag, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    if (flag[i])
      break;
}
// CHECK: kernel early_return {{.*}} ends keeps-globals{{$}}
__global__ void early_return(const int *flag, int n) {
  while (n--)
    if (flag[n])
      return;
}
// CHECK: kernel early_halves {{.*}} ends keeps-globals{{$}}
__global__ void early_halves(const int *flag) {
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1)
    if (flag[half])
      break;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2)
    if (flag[stride])
      break;
}
// CHECK: kernel early_pointer {{.*}} ends keeps-globals{{$}}
__global__ void early_pointer(const int *begin, const int *end) {
  for (const int *p = begin; p != end; ++p)
    if (*p)
      return;
}
int main() { return 0; }
