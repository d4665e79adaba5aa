// gpuinstr diff as a build would use it: moved lines pass, a new leak fails.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir -p %t/moved
// RUN: %python -c "print('\n' * 30 + open(r'%s').read())" > %t/moved/diff.cpp
// RUN: %clangxx %instr %s -o %t/base %cudart
// RUN: %clangxx %instr %t/moved/diff.cpp -o %t/moved/app %cudart
// RUN: %clangxx %instr -DREGRESSION %t/moved/diff.cpp -o %t/worse %cudart
// RUN: %gpuinstr run --simulate --report off --json %t/base.json -- %t/base
// RUN: %gpuinstr run --simulate --report off --json %t/moved.json -- %t/moved/app
// RUN: %gpuinstr run --simulate --report off --json %t/worse.json -- %t/worse
// RUN: %gpuinstr diff %t/base.json %t/moved.json --fail-on 'leak.new>0,leak.bytes>+0,site.calls>+0' | %FileCheck %s --check-prefix=SAME
// SAME: No finding is new, gone or changed.
// SAME: RESULT all conditions hold
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 1)" %gpuinstr diff %t/base.json %t/worse.json --fail-on 'leak.new>0,double-free>0' | %FileCheck %s --check-prefix=WORSE
// WORSE: NEW {{ *}}leak {{.*}} d_forgotten
// WORSE: FAIL leak.new>0: leak diff.cpp:[[#@LINE+15+31]]
// WORSE: RESULT 1 of 2 conditions failed

// A baseline of today lets today's findings pass, and only those.
// RUN: %gpuinstr suppress %t/base.json -o %t/baseline
// RUN: %gpuinstr run --simulate --report off --suppressions %t/baseline --fail-on leak -- %t/base
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 23)" %gpuinstr run --simulate --report off --suppressions %t/baseline --fail-on leak -- %t/worse
#include <cuda_runtime.h>

static void known() {
  float *d_known;
  (void)!cudaMalloc(&d_known, 1024);
}
static void fresh() {
#ifdef REGRESSION
  float *d_forgotten;
  (void)!cudaMalloc(&d_forgotten, 2048);
#endif
}
int main() {
  known();
  fresh();
}
