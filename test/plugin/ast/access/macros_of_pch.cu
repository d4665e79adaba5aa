// Macros that come from a PCH may be others on the device, whose compile has a PCH of its own.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only -x cuda -c -Xclang -emit-pch %S/Inputs/sides.h -o %t.pch
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-list-sites -Xclang -include-pch -Xclang %t.pch -c %s -o %t.o | %FileCheck %s
// CHECK-DAG: kernel put(p ?)
__global__ void put(int *p) { ON_DEVICE(*p = 1;) }
// CHECK-DAG: kernel guarded(p ?)
__global__ void guarded(int *p) {
#if defined(TWICE) && TWICE(1)
#else
  *p = 1;
#endif
}
// CHECK-DAG: kernel plain(p r, on) ends keeps-globals
__global__ void plain(const int *p, int on) {
  if (on)
    printf("%d\n", *p);
}
