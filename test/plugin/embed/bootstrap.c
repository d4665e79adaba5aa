// Without a runtime the program runs as if never instrumented, and says nothing unless asked.
// Flags that would clash with another unit's do not clash with the bootstrap.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr %s -o %t %cudart -fplugin-arg-gpuinstr-runtime=/nowhere/libgpuinstr_rt.so
// RUN: env LD_LIBRARY_PATH=%cuda_root/lib64 %t > %t.out 2>&1
// RUN: %FileCheck --check-prefix=SILENT %s < %t.out
// SILENT: done
// SILENT-NOT: gpuinstr
// RUN: env LD_LIBRARY_PATH=%cuda_root/lib64 GPUINSTR_OPTIONS=verbose=1 %t 2>&1 | %FileCheck --check-prefix=TOLD %s
// TOLD: gpuinstr: cannot load the runtime /nowhere/libgpuinstr_rt.so; the program runs uninstrumented
// TOLD-NOT: gpuinstr:
// TOLD: done
// RUN: env LD_LIBRARY_PATH=%cuda_root/lib64 GPUINSTR_RUNTIME=/other/place.so %t 2>&1 | %FileCheck --check-prefix=OTHER %s
// OTHER: gpuinstr: cannot load the runtime /other/place.so
// RUN: %clang -shared -fPIC -x c %S/Inputs/future-runtime.c -o %t.future.so
// RUN: env LD_LIBRARY_PATH=%cuda_root/lib64 GPUINSTR_RUNTIME=%t.future.so %t 2>&1 | %FileCheck --check-prefix=FUTURE %s
// FUTURE: gpuinstr: another version of the runtime: {{.*}}future.so; the program runs uninstrumented
// FUTURE: done
// RUN: %build_trace
// RUN: %clang %instr %verify -fshort-wchar -fcf-protection=full -march=native %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -mcmodel=large -fno-pic -no-pie %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -mcmodel=medium -fPIC -O2 -fno-plt -flto %s -o %t %cudart -fuse-ld=lld && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -Os -fvisibility=hidden -ffunction-sections -fdata-sections -Wl,--gc-sections %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -fstack-protector-all -fstack-clash-protection -fno-asynchronous-unwind-tables %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -fprofile-instr-generate -fcoverage-mapping -c %s -o %t.o
// RUN: %clang %instr %verify -fsanitize=address,undefined -O1 -g -c %s -o %t.o
// RUN: %clang %instr %verify -fsanitize=thread -O1 -c %s -o %t.o
// CHECK: register bootstrap.c
// CHECK: enter bootstrap.c:[[#@LINE+6]] op=4
// CHECK: done
// CHECK: unregister bootstrap.c
#include <cuda_runtime_api.h>
#include <stdio.h>
static void *allocate(size_t n) { void *p = 0;
  cudaMalloc(&p, n); return p; }
int main(void) {
  allocate(4);
  fprintf(stderr, "done\n");
  return 0;
}
