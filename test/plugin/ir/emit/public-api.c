// The functions of gpuinstr.h: empty without the plugin, calls of the runtime with it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clang %abi %instr %verify %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %abi %instr %verify -O2 -g %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx -x c++ %abi %instr %verify -O1 -g %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %abi %s -o %t && %traced %t 2>&1 | %FileCheck --check-prefix=PLAIN %s
#include "gpuinstr/gpuinstr.h"
#include <stdio.h>
// PLAIN: leaks 0 bytes 0
// PLAIN-NOT: {{.}}
int main(void) {
  uint64_t bytes = 5, leaks;
  gpuinstr_push_range("solve");         // CHECK: push solve
  gpuinstr_pop_range();                 // CHECK-NEXT: pop
  gpuinstr_pause();                     // CHECK-NEXT: pause
  gpuinstr_resume();                    // CHECK-NEXT: resume
  gpuinstr_report_now();                // CHECK-NEXT: report
  gpuinstr_reset();                     // CHECK-NEXT: reset
  gpuinstr_name((void *)16, "grid");    // CHECK-NEXT: name 0x10 grid
  gpuinstr_ignore((void *)16);          // CHECK-NEXT: ignore 0x10
  gpuinstr_pool_alloc((void *)1, (void *)2, 3); // CHECK-NEXT: pool_alloc 0x1 0x2 3
  gpuinstr_pool_free((void *)1, (void *)2);     // CHECK-NEXT: pool_free 0x1 0x2
  leaks = gpuinstr_leaks_since(gpuinstr_mark(), &bytes);
  // CHECK-NEXT: leaks 43 bytes 1000
  fprintf(stderr, "leaks %d bytes %d\n", (int)leaks, (int)bytes);
  return 0;
}
