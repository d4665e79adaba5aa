// A module descriptor whose counts are no counts: nothing is read, and no memory taken.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cli
// RUN: %clang -I%S/../../runtime/include -O1 -DTAKEN=1 -o %t %s
// RUN: %gpuinstr sites %t | %FileCheck %s
// CHECK: fake.cu
// RUN: %clang -I%S/../../runtime/include -O1 -DTAKEN=0xffffffffu -o %t %s
// RUN: %not prlimit --as=1000000000 %gpuinstr sites %t 2>&1 | %FileCheck --check-prefix=NONE %s
// NONE: nothing in it was compiled with the plugin
// RUN: %clang -I%S/../../runtime/include -O1 -DTAKEN=1 -DSITES=2 -o %t %s
// RUN: %gpuinstr sites %t | %FileCheck --check-prefix=SITES %s
// SITES: fake.cu:7
// RUN: %clang -I%S/../../runtime/include -O1 -DTAKEN=1 -DSITES=20000 -o %t %s
// RUN: %not prlimit --as=1000000000 %gpuinstr sites %t 2>&1 | %FileCheck --check-prefix=NONE %s
#include "gpuinstr/abi.h"

static const char *const taken[] = {"cudaMalloc"};
#ifdef SITES // one site, listed again and again, of as many arguments as can be
static const char *const arguments[65535] = {[0 ... 65534] = "x"};
static gpuinstr_site site = {
    .size = sizeof(gpuinstr_site),
    .op = GPUINSTR_OP_ALLOC,
    .num_arguments = 65535,
    .line = 7,
    .file = "fake.cu",
    .function = "main",
    .callee = "cudaMalloc",
    .variable = "",
    .type = "",
    .ignore = "",
    .arguments = arguments,
};
static gpuinstr_site *const listed[SITES] = {[0 ... SITES - 1] = &site};
#endif
__attribute__((used)) static gpuinstr_module module = {
    .size = sizeof(gpuinstr_module),
    .abi_version = GPUINSTR_ABI_VERSION,
    .num_addresses_taken = TAKEN,
    .addresses_taken = TAKEN == 1 ? taken : 0,
    .source = "fake.cu",
    .producer = "gpuinstr 0.1.0 clang 22.1.8",
    .defaults = "",
    .image = &module,
#ifdef SITES
    .listed = listed,
    .num_listed = SITES,
#endif
};
int main(void) { return 0; }
