// Loops whose heads say nothing: what leaves them stands in their bodies, and is judged like a head.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// ---- these end ----
// CHECK: kernel strides {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void strides(float *o, unsigned n) {
  for (unsigned at = blockIdx.x;; at += gridDim.x) {
    const unsigned row = at * 4 / 256;
    if (row >= n)
      break;
    o[at] = row;
  }
}
// CHECK: kernel returns {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void returns(float *o, int n) {
  int i = threadIdx.x;
  while (true) {
    if (i >= n || n > 1000) {
      o[0] = i;
      return;
    }
    o[i] = 1;
    i += blockDim.x;
  }
}
// CHECK: kernel may_leave_before {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void may_leave_before(float *o, int n) {
  int i = 0;
  do {
    if (o[i] == 0)
      break;
    ++i;
    if (i >= n)
      break;
  } while (true);
  o[n] = i;
}
// CHECK: kernel inner {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void inner(float *o, int n) {
  for (int i = 0;; ++i) {
    for (int k = 0; k < n; ++k)
      if (o[k] == 0)
        break;
    if (i == n)
      break;
  }
}
// ---- these may not ----
// CHECK: kernel memory_decides {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void memory_decides(float *o, int n) {
  for (int i = 0;; ++i) {
    if (o[i] == 0)
      break;
  }
}
// CHECK: kernel both_sides {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void both_sides(volatile int *o, int n) {
  for (int i = 0;; ++i) {
    if (i >= n && *o)
      break;
  }
}
// CHECK: kernel passed_by {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void passed_by(volatile int *o, int n) {
  int i = 0;
  while (true) {
    if (*o)
      continue;
    if (++i >= n)
      break;
  }
}
// CHECK: kernel steps_over {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void steps_over(volatile int *o, int n) {
  for (int i = 0;; i += 2) {
    if (*o)
      break;
    if (i == n)
      break;
  }
}
// CHECK: kernel not_a_number {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void not_a_number(volatile int *o, float n) {
  for (int i = 0;; ++i) {
    if (*o)
      break;
    if (i >= n)
      break;
  }
}
// CHECK: kernel stands_still {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void stands_still(volatile int *o, int n, int m) {
  for (int i = 0;; ++i) {
    if (m >= n)
      break;
    if (*o)
      return;
  }
}
// CHECK: kernel of_a_switch {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void of_a_switch(volatile int *o, int n) {
  for (int i = 0;; ++i) {
    switch (n) {
    case 0:
      if (i >= n)
        break;
    }
    if (*o)
      return;
  }
}
// CHECK: kernel by_variable {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void by_variable(volatile int *o, int n) {
  for (int i = 0; int v = *o; ++i) {
    if (i >= n)
      continue;
    if (v == n)
      break;
  }
}
// CHECK: kernel wraps {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void wraps(volatile int *o, long long n) {
  for (unsigned i = 0;; ++i) {
    if (*o)
      break;
    if (i >= n)
      break;
  }
}
// CHECK: kernel set_back {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void set_back(volatile int *o, int n) {
  for (int i = 0;; ++i) {
    if (i >= n)
      break;
    if (*o)
      i = 0;
  }
}
