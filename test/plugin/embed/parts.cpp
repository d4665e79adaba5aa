// Parts of an image that were compiled without the plugin are found by their calls, however they are
// linked; where all was compiled with it, none are.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx -O2 -DPART -c %s -o %t/plain.o
// RUN: %clangxx -O2 -DPART -fPIC -fno-plt -c %s -o %t/noplt.o
// RUN: %clangxx -O2 -DPART -fno-pic -c %s -o %t/fixed.o
// RUN: %clangxx %instr -O2 -DPART -fPIC -fno-plt -c %s -o %t/seen.o
// RUN: %clangxx %instr -O2 -c %s -o %t/main.o
// RUN: %clangxx %instr -O0 -fno-pic -ffunction-sections -c %s -o %t/main-fixed.o
// RUN: llvm-ar rc %t/libpart.a %t/plain.o
//
// The linkers' stubs: the system's and lld's, with and without marks for branches.
// RUN: %clangxx %t/main.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -fuse-ld=lld %t/main.o -L%t -lpart -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -fuse-ld=lld -Wl,-z,force-ibt %t/main.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -Wl,-z,ibtplt %t/main.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -Wl,-z,now,-z,relro -Wl,--gc-sections %t/main.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx %t/main.o %t/noplt.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -no-pie %t/main-fixed.o %t/fixed.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -fuse-ld=lld -no-pie -Wl,--gc-sections %t/main-fixed.o %t/fixed.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// Stripped: the image alone tells.
// RUN: %clangxx -s %t/main.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// The runtime linked in.
// RUN: %clangxx %t/main.o %t/plain.o -o %t/a %cudart_static && %sim sh -c '%t/a || true' 2>&1 | %FileCheck %s
// RUN: %clangxx -no-pie %t/main-fixed.o %t/fixed.o -o %t/a %cudart_static && %sim sh -c '%t/a || true' 2>&1 | %FileCheck %s
// CHECK: NOT instrumented: parts of a that call cudaMemcpy, cudaMemset, cudaDeviceSynchronize and 2
// CHECK-NEXT: more: what they do is unseen
//
// All seen.
// RUN: %clangxx %t/main.o %t/seen.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -fuse-ld=lld -Wl,--gc-sections %t/main-fixed.o %t/seen.o -no-pie -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx %t/main.o %t/seen.o -o %t/a %cudart_static && %sim sh -c '%t/a || true' 2>&1 | %FileCheck --check-prefix=SEEN %s
// A table of functions, of such a part and of an instrumented one.
// RUN: %clangxx -O2 -DTABLE -c %s -o %t/table.o
// RUN: %clangxx %instr -O2 -DTABLE -c %s -o %t/seen-table.o
// RUN: %clangxx %t/main.o %t/seen.o %t/table.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=TABLE %s
// RUN: %clangxx %t/main.o %t/seen.o %t/seen-table.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// TABLE: NOT instrumented: parts of a that call cudaMemset: what
// Code that a later link moves, beside code that it does not, and where equal functions become one.
// RUN: %clangxx %instr -O2 -flto -c %s -o %t/lto.o
// RUN: %clangxx %instr -O2 -flto -DPART -c %s -o %t/seen-lto.o
// RUN: %clangxx -O2 -flto -DPART -c %s -o %t/plain-lto.o
// RUN: %clangxx %instr -O2 -flto=thin -c %s -o %t/thin.o
// RUN: %clangxx %instr -O2 -flto=thin -fno-plt -DPART -c %s -o %t/seen-thin.o
// RUN: %clangxx -O2 -flto=thin -DPART -c %s -o %t/plain-thin.o
// RUN: %clangxx -flto -fuse-ld=lld %t/lto.o %t/plain-lto.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -flto -fuse-ld=lld -s -Wl,--icf=all,-O2 %t/lto.o %t/plain-lto.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -flto=thin -fuse-ld=lld %t/thin.o %t/plain-thin.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -flto -fuse-ld=lld %t/main.o %t/plain-lto.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -flto -fuse-ld=lld %t/lto.o %t/plain.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -flto -fuse-ld=lld %t/lto.o %t/seen-lto.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -flto -fuse-ld=lld %t/lto.o %t/seen.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -flto=thin -fuse-ld=lld %t/thin.o %t/seen-thin.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -flto -fuse-ld=lld %t/lto.o %t/seen-lto.o %t/seen-table.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -flto -fuse-ld=lld -Wl,--icf=all %t/lto.o %t/seen-lto.o -o %t/a %cudart_static && %sim sh -c '%t/a || true' 2>&1 | %FileCheck --check-prefix=SEEN %s
// One that one line of the program takes the address of.
// RUN: %clangxx %instr -O2 -flto -DPOINTER -c %s -o %t/pointer.o
// RUN: %clangxx -flto -fuse-ld=lld %t/pointer.o %t/seen-lto.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// Bytes that read as a call of the table's entry itself: as an operand -24(%rbp) and a number behind it do.
// RUN: %clangxx -DBYTES -c %s -o %t/bytes.o
// RUN: %clangxx %t/main.o %t/seen.o %t/bytes.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// A function that calls nothing but a vendor library, and calls of it that were not compiled with the plugin.
// RUN: %clangxx -shared -fPIC -DLIBRARY %s -o %t/libcublas.so
// RUN: %clangxx %instr -O2 -DVENDOR -c %s -o %t/seen-vendor.o
// RUN: %clangxx -O2 -DVENDOR -c %s -o %t/vendor.o
// RUN: %clangxx %instr -O2 -flto -DVENDOR -c %s -o %t/lto-vendor.o
// RUN: %clangxx %t/main.o %t/seen-vendor.o -L%t -lcublas -Wl,-rpath,%t -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -flto -fuse-ld=lld %t/main.o %t/lto-vendor.o -L%t -lcublas -Wl,-rpath,%t -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx %t/main.o %t/vendor.o -L%t -lcublas -Wl,-rpath,%t -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=VENDOR %s
// VENDOR: NOT instrumented: parts of a that call cublasSscal_v2: what
// SEEN-NOT: NOT instrumented
// SEEN: SUMMARY
#include <cuda_runtime_api.h>
extern "C" int part(void *device, const void *host, unsigned long bytes);
#ifdef TABLE
extern void *const table[];
void *const table[] = {reinterpret_cast<void *>(&cudaMemset)};
#elif defined(BYTES)
extern "C" void bytes();
void bytes() { asm volatile(".byte 0xe8; .long cudaFree@GOTPCREL-4; .byte 0xe9; .long cudaMemset@GOTPCREL-4"); }
#elif defined(LIBRARY)
extern "C" int cublasSscal_v2(void *, int, const float *, float *, int) { return 0; }
#elif defined(VENDOR)
extern "C" int cublasSscal_v2(void *, int, const float *, float *, int);
int part(void *device, const void *host, unsigned long bytes) {
  auto *alpha = static_cast<const float *>(host);
  const int status = cublasSscal_v2(nullptr, int(bytes / 4), alpha, static_cast<float *>(device), 1);
  return status + cublasSscal_v2(nullptr, 1, alpha, static_cast<float *>(device), 1);
}
#elif defined(PART)
int part(void *device, const void *host, unsigned long bytes) {
  void *more = nullptr;
  if (cudaMalloc(&more, bytes) != cudaSuccess ||
      cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemset(more, 0, bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return cudaFree(more); // a jump: the last thing that it does
}
#else
#ifdef POINTER
cudaError_t (*volatile freeing)(void *);
#endif
int main() {
#ifdef POINTER
  freeing = &cudaFree;
  freeing(nullptr);
#endif
  static char host[4096];
  void *device = nullptr;
  if (cudaMalloc(&device, sizeof host) != cudaSuccess)
    return 1;
  int failed = part(device, host, sizeof host);
  return cudaFree(device) != cudaSuccess || failed;
}
#endif
