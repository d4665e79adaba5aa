// Another 64-bit host: dim3 is passed as an array there, larger structs by address.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang --target=aarch64-linux-gnu -ffreestanding -O1 %instr %verify -fno-discard-value-names -S -emit-llvm -o - %s | %FileCheck %s
// RUN: %clang --target=aarch64-linux-gnu -ffreestanding %instr %verify -c -o %t.o %s
typedef unsigned long size_t;
typedef struct {
  unsigned x, y, z;
} dim3;
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
// CHECK-LABEL: @f(
// CHECK-SAME: [2 x i64] %[[GRID:[a-z.]*]],
// CHECK-DAG: [[XY:%.*]] = extractvalue [2 x i64] %{{.*}}, 0
// CHECK-DAG: [[Z:%.*]] = extractvalue [2 x i64] %{{.*}}, 1
// CHECK-DAG: store i64 16, ptr
// CHECK: call void %{{.*}}(ptr
// CHECK: call i32 @cudaLaunchKernel(
int f(void *kernel, dim3 grid, dim3 block) { return cudaLaunchKernel(kernel, grid, block, 0, 16, 0); }
