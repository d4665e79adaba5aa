// Sites of an older plugin: an array of them, and a module descriptor that ends before the list.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang -I%S/../../runtime/include -O1 -o %t %s
// RUN: %gpuinstr sites %t | %FileCheck %s
// CHECK-DAG: cudaMalloc
// CHECK-DAG: cudaFree
#include "gpuinstr/abi.h"
#include <stddef.h>

static const char *const arguments[] = {"p"};
#define SITE(op, line, callee)                                                                     \
  {sizeof(gpuinstr_site), 0,      op, 0,  0,  0,  1, 0, line, 3, line, 0, "old.cu", "main",        \
   callee,                "*p", "float", "", arguments}
__attribute__((used)) static gpuinstr_site sites[] = {
    SITE(GPUINSTR_OP_ALLOC, 4, "cudaMalloc"), SITE(GPUINSTR_OP_FREE, 5, "cudaFree")};
__attribute__((used)) static gpuinstr_module module = {
    .size = offsetof(gpuinstr_module, listed),
    .abi_version = GPUINSTR_ABI_VERSION,
    .num_sites = 2,
    .sites = sites,
    .source = "old.cu",
    .producer = "gpuinstr 0.1.0 clang 22.1.8",
    .defaults = "",
    .image = &module,
};
int main(void) { return 0; }
