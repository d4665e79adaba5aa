// The short form of files with many sites: a call stays one call, of a function that holds what all
// calls of that entry point share. Invokes, attributes and lines stay; what cannot be shared keeps
// the common form.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr %verify -O0 -g -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-compact=1
// RUN: %FileCheck %s --input-file %t.ll
// Below the limit nothing changes.
// RUN: %clangxx %instr %verify -O0 -g -S -emit-llvm -o - %s | %FileCheck --check-prefix=COMMON %s
// COMMON-NOT: __gpuinstr_site.cudaMalloc
// The program is told the same calls, in the same order, by either form.
// RUN: %build_trace
// RUN: %clangxx %instr %verify %s -o %t %cudart
// RUN: %traced %t 2>&1 | sed 's/ s0=[^ ]*//' > %t.common
// RUN: %clangxx %instr %verify %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1
// RUN: %traced %t 2>&1 | sed 's/ s0=[^ ]*//' > %t.compact
// RUN: diff %t.common %t.compact
// RUN: %FileCheck --check-prefix=TRACE %s --input-file %t.compact
#include <cuda_runtime.h>

struct Owner {
  void *data = nullptr;
  explicit Owner(size_t n) { (void)cudaMalloc(&data, n); }
  ~Owner() { (void)cudaFree(data); }
};

static void fails() {
  Owner first(1);
  throw 1; // no restore of callers, and the frames below are dropped
}

// CHECK-LABEL: define {{.*}}allocate
// CHECK: call i32 @__gpuinstr_site.cudaMalloc(ptr noundef @kept, i64 noundef 8, i32 {{[0-9]+}}), !dbg
// CHECK-NEXT: ret i32
void *kept;
extern "C" int allocate() { return cudaMalloc(&kept, 8); }

// A landing pad: the callers are read at the entry, as in the common form.
// CHECK-LABEL: define {{.*}}caught
// CHECK: call void @__gpuinstr_callers_at_entry(ptr [[CALLERS:%.*]], i64
// CHECK: call void @__gpuinstr_announce(i32 {{[0-9]+}}, ptr [[CALLERS]])
// CHECK: invoke {{.*}}fails
// CHECK: call void @__gpuinstr_announced(ptr [[CALLERS]])
// CHECK: call i32 @__gpuinstr_site.cudaFree{{.*}}(ptr noundef %{{.*}}, i32 {{[0-9]+}}, ptr [[CALLERS]])
extern "C" int caught(void *p) {
  try {
    fails();
  } catch (int) {
  }
  return cudaFree(p);
}

// Called through a pointer: no entry point is known.
// CHECK-LABEL: define {{.*}}indirect
// CHECK-NOT: call i32 @__gpuinstr_site
// CHECK: ret
extern "C" int indirect(int (*f)(void *), void *p) { return f(p); }

// The header's template holds the call of the entry point: that one is shared as well. A wrapper
// knows more callers; as long as it announces none itself, the shared function reads them.
// CHECK-LABEL: define {{.*}}wrapper(
// CHECK-NOT: call void @__gpuinstr_callers_at_entry
// CHECK: call i32 @__gpuinstr_site.{{.*}}cudaMalloc
// CHECK: ret i32
extern "C" int wrapper(float **p) { return cudaMalloc(p, 8); }

int main() {
  // TRACE: enter {{.*}} cudaMalloc in allocate {{.*}}<- compact.cpp:[[#@LINE+1]] main
  (void)allocate();
  // TRACE: enter {{.*}} cudaMalloc in Owner::Owner
  // TRACE: enter {{.*}} cudaFree in caught {{.*}}<- compact.cpp:[[#@LINE+1]] main
  (void)caught(kept);
  // TRACE: enter {{.*}} cudaDeviceSynchronize in main
  (void)cudaDeviceSynchronize();
}

// The function that is shared: not inlined, or all would be as before. It looks up the site.
// CHECK: define internal i32 @__gpuinstr_site.cudaMalloc(ptr noundef %0, i64 noundef %1, i32 %2) [[SHARED:#[0-9]+]]
// CHECK: getelementptr inbounds {{.*}} @__gpuinstr_numbered, i64 0, i64
// CHECK: @llvm.threadlocal.address.p0(ptr {{.*}}@__gpuinstr_callers)
// CHECK: call i32 @cudaMalloc(ptr noundef %0, i64 noundef %1)
// CHECK: attributes [[SHARED]] = { {{.*}}noinline
