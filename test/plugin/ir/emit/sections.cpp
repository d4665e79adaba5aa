// Sites keep together and stay where sections are one a variable, unused ones are dropped, code is
// position independent, in a static library, and optimised at link time; an inline function's too.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr -O2 -fPIC -ffunction-sections -fdata-sections -DLIBRARY -c -o %t/a.o %s
// RUN: llvm-ar rc %t/liba.a %t/a.o
// RUN: %clangxx %instr -O2 -fPIC -ffunction-sections -fdata-sections -c -o %t/m.o %s
// RUN: %clangxx -fuse-ld=lld -Wl,--gc-sections -shared -o %t/gc.so %t/m.o -L%t -la
// RUN: %gpuinstr sites %t/gc.so | %FileCheck %s
// RUN: %clangxx %instr -O0 -fno-pic -no-pie -fuse-ld=lld -Wl,--gc-sections -shared -fPIC -o %t/o0.so %s -DLIBRARY
// RUN: %gpuinstr sites %t/o0.so | %FileCheck --check-prefix=LIBRARY %s
// RUN: %clangxx %instr -O2 -flto=thin -fPIC -DLIBRARY -c -o %t/a.o %s
// RUN: %clangxx %instr -O2 -flto=thin -fPIC -c -o %t/m.o %s
// RUN: %clangxx -O2 -flto=thin -fuse-ld=lld -Wl,--gc-sections -shared -o %t/lto.so %t/m.o %t/a.o
// RUN: %gpuinstr sites %t/lto.so | %FileCheck %s
// Sections: one of them holds every site.
// RUN: llvm-readelf -SW %t/gc.so | %FileCheck --check-prefix=SECTIONS %s
// SECTIONS-NOT: .data.rel.local.__gpuinstr_site
// CHECK-DAG: cudaFree(p){{.*}} in inlined
// CHECK-DAG: cudaMalloc(&p, 8){{.*}} in library
// CHECK-DAG: cudaMalloc(&p, 4){{.*}} in program
// LIBRARY: cudaMalloc(&p, 8){{.*}} in library
#include <cuda_runtime_api.h>
inline void inlined(void *p) { cudaFree(p); }
void *library();
#ifdef LIBRARY
void *library() {
  void *p = nullptr;
  cudaMalloc(&p, 8);
  inlined(nullptr);
  return p;
}
#else
void *program() {
  void *p = nullptr;
  cudaMalloc(&p, 4);
  inlined(p);
  return library();
}
#endif
