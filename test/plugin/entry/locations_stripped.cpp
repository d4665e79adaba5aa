// Locations that only the rewriter needs are gone when it has run; the user's stay.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -O1 %instr -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=NONE
// RUN: %clangxx -O1 -g %instr -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=KEPT
// RUN: %clangxx -O1 --coverage %instr -c %s -o %t.o
// RUN: %llvm-readelf -S %t.o | %FileCheck %s --check-prefix=COVERAGE
// NONE-LABEL: define {{.*}}@main
// NONE-NOT: !dbg
// NONE-NOT: DICompileUnit
// KEPT-LABEL: define {{.*}}@main
// KEPT-SAME: !dbg
// KEPT: DICompileUnit({{.*}}emissionKind: FullDebug
// COVERAGE-NOT: .debug_
#include <cuda_runtime_api.h>
int main() { return cudaDeviceSynchronize(); }
