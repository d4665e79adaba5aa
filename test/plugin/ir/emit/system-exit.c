// _exit, _Exit and quick_exit tell the runtime before they end the process.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clang %instr %verify -DEXIT=_exit %s -o %t && %not %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -DEXIT=_Exit %s -o %t && %not %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -O2 -DEXIT=quick_exit %s -o %t && %not %traced %t 2>&1 | %FileCheck --check-prefix=QUICK %s
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
// CHECK: before_exit 5{{$}}
// QUICK: before_exit 261{{$}}
int main(void) { EXIT(5); } // no CUDA call in this unit
