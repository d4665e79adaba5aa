// Ranges that the program opens through NVTX: each call is told to the runtime once, also NVTX's
// first ones, which start it. What NVTX returns may be replaced.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clang %instr %verify %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -O2 -g %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx -x c++ %instr %verify -O1 -g %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx -x c++ %instr %verify -DNVTX_DISABLE %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %s -o %t && %traced %t 2>&1 | %FileCheck --check-prefix=PLAIN %s
// Functions that another unit holds, instrumented or not: still once.
// RUN: %clang -DNVTX_EXPORT_API -DHOLDS -c %s -o %t.plain.o
// RUN: %clang -DNVTX_EXPORT_API -DHOLDS %instr %verify -c %s -o %t.instr.o
// RUN: %clang -DNVTX_NO_IMPL %instr %verify %s %t.plain.o -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang -DNVTX_NO_IMPL %instr %verify %s %t.instr.o -o %t && %traced %t 2>&1 | %FileCheck %s
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

// PLAIN: start 0 0 0
// PLAIN-NEXT: string 0
// PLAIN-NOT: {{.}}

#ifndef HOLDS
static int range_level(const char *text) { return text[0]; }
/* The program's own: not of NVTX's type. */
static int nvtxRangePushAll(const char *text) { return range_level(text); }

int main(void) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  nvtxRangePushA("one");         // CHECK: nvtx 0 one 0
  nvtxRangePushW(L"wide");       // CHECK-NEXT: nvtx 1 ... 0
  nvtxRangePushEx(&attributes);  // CHECK-NEXT: nvtx 2 ... 0
  nvtxRangePop();                // CHECK-NEXT: nvtx 3 - 0
  nvtxRangePushAll("mine");
  nvtxMarkA("mark");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("d");
  nvtxDomainRangePushEx(domain, &attributes); // CHECK-NEXT: nvtx 2 ... 0
  nvtxDomainRangePop((nvtxDomainHandle_t)64); // CHECK-NEXT: nvtx 3 - 40
  nvtxRangeId_t a = nvtxRangeStartA("two");                            // CHECK-NEXT: nvtx 4 two 0
  nvtxRangeId_t w = nvtxRangeStartW(L"wide");                          // CHECK-NEXT: nvtx 5 ... 0
  nvtxRangeId_t x = nvtxDomainRangeStartEx(domain, &attributes);       // CHECK-NEXT: nvtx 6 ... 0
  nvtxRangeStartEx(&attributes);                                       // CHECK-NEXT: nvtx 6 ... 0
  nvtxRangeEnd(a);               // CHECK-NEXT: nvtx 7 - 1004
  nvtxDomainRangeEnd(domain, x); // CHECK-NEXT: nvtx 7 - 1006
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "text"); // CHECK-NEXT: nvtx 8 text 0
  nvtxDomainRegisterStringW(domain, L"wide");                          // CHECK-NEXT: nvtx 9 ... 0
  // CHECK-NEXT: start 1004 1005 1006
  fprintf(stderr, "start %x %x %x\n", (unsigned)a, (unsigned)w, (unsigned)x);
  // CHECK-NEXT: string 1008
  fprintf(stderr, "string %x\n", (unsigned)(uintptr_t)text);
  return 0;
}
#endif
