// Options: the table is printed, unknown and contradictory ones are errors that name them, and
// nothing happens where no code is generated.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-help -c %s -o %t.o | %FileCheck %s --check-prefix=HELP
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-bogus=3 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-callers=5 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=COUNT
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-callers=few -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=NUMBER
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-include -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VALUE
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-off=1 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=NOVALUE
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-exclude='[z-' -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GLOB
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-off -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=OFF
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-include=a -fplugin-arg-gpuinstr-exclude=a -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=BOTH
// RUN: %not %clangxx %instr -fplugin-arg-gpuinstr-defaults=verbose=1 -fplugin-arg-gpuinstr-defaults=verbose=0 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=TWICE
// HELP: gpuinstr: options, each as -fplugin-arg-gpuinstr-<option>
// HELP-DAG: list-sites[=file]
// HELP-DAG: wrapper=glob
// UNKNOWN: error: gpuinstr: unknown option 'bogus'
// COUNT: error: gpuinstr: option 'callers': 5 is more than 4
// NUMBER: error: gpuinstr: option 'callers': 'few' is not a number
// VALUE: error: gpuinstr: option 'include' needs a value
// NOVALUE: error: gpuinstr: option 'off' takes no value
// GLOB: error: gpuinstr: option 'exclude':
// OFF: error: gpuinstr: option 'off' contradicts 'list-sites'
// BOTH: error: gpuinstr: options 'include' and 'exclude' contradict each other on 'a'
// TWICE: error: gpuinstr: option 'defaults' is given twice

// Nothing is checked or printed where no code is made, and `off` leaves the module alone.
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-bogus -fsyntax-only %s 2>&1 | %count 0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-dump-ast -E %s -o %t.ii | %count 0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-dump-ast -x c++-header %s -o %t.pch | %count 0
// RUN: %clangxx -O1 -S -emit-llvm %s -o %t.plain.ll
// RUN: %clangxx -O1 %instr -fplugin-arg-gpuinstr-off -S -emit-llvm %s -o %t.off.ll
// RUN: diff %t.plain.ll %t.off.ll
#include <cuda_runtime_api.h>
int main() { return cudaDeviceSynchronize(); }
