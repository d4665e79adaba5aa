// Launches of one kernel from many lines share their instrumentation in large files, as calls do; one
// that is launched once has nothing to share. Arguments by value go through, the order of what the
// runtime is told stays.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O0 -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-compact=1
// RUN: %FileCheck %s --input-file %t.ll
// RUN: %build_trace
// RUN: %clangxx_cuda %instr %verify -O2 %s -o %t %cudart
// RUN: %traced %t 2>&1 | sed 's/ s[0-9]*=[^ ]*//g' > %t.common
// RUN: %clangxx_cuda %instr %verify -O2 %s -o %t %cudart -fplugin-arg-gpuinstr-compact=1
// RUN: %traced %t 2>&1 | sed 's/ s[0-9]*=[^ ]*//g' > %t.compact
// RUN: diff %t.common %t.compact
// RUN: %FileCheck --check-prefix=TRACE %s --input-file %t.compact
struct Large {
  int values[20];
};
__global__ void often(int *out, Large large) { *out = large.values[3]; }
__global__ void once(int *out) { *out = 0; }

// CHECK-LABEL: define {{.*}}twice
// CHECK: call void @__gpuinstr_site.launch(ptr noundef %{{.*}}, ptr noundef byval(%struct.Large) align 8 %{{.*}}, i32 {{[0-9]+}}
// CHECK: call void @__gpuinstr_site.launch(ptr noundef %{{.*}}, ptr noundef byval(%struct.Large) align 8 %{{.*}}, i32 {{[0-9]+}}
extern "C" void twice(int *p, Large large) {
  often<<<1, 1>>>(p, large);
  often<<<2, 1>>>(p, large);
}

// CHECK-LABEL: define {{.*}}single
// CHECK-NOT: @__gpuinstr_site.launch
// CHECK: call void {{.*}}device_stub__once
extern "C" void single(int *p) { once<<<1, 1>>>(p); }

int main() {
  // TRACE: enter {{.*}} often in twice {{.*}}<- compact-launch.cu:[[#@LINE+2]] main
  // TRACE: enter {{.*}} often in twice
  twice(nullptr, {});
  single(nullptr);
}
