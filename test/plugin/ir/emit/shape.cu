// Enter, operands and leave around a call; caller descriptor around a call of a function with sites.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -fno-discard-value-names --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck %s

// CHECK-DAG: @__gpuinstr_callers = linkonce_odr thread_local global [4 x ptr] zeroinitializer, comdat
// CHECK-DAG: @__gpuinstr_site = internal global {{.*}}, section ".data.gpuinstr"
// CHECK-DAG: @__gpuinstr_sites = private constant [{{[0-9]+}} x ptr] [ptr @__gpuinstr_site, ptr @__gpuinstr_site.
// CHECK-DAG: @__gpuinstr_table_v1.{{[0-9]+}} = linkonce_odr hidden {{.*}}global
// CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 0, ptr @__gpuinstr_ctor
// CHECK-DAG: @llvm.global_dtors = {{.*}}{ i32 0, ptr @__gpuinstr_dtor

// CHECK-LABEL: define {{.*}}@_Z4copyPvS_m(
// CHECK: %gpuinstr = alloca [264 x i8], align 8
// CHECK: call {{.*}}@llvm.threadlocal.address.p0(ptr {{.*}}@__gpuinstr_callers)
// The hash of a caller descriptor decides whether it is meant for this function.
// CHECK: load i64, ptr
// CHECK: icmp eq i64
// CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
// CHECK: store i64 %{{.*}}, ptr
// CHECK: [[ENTER:%.*]] = load ptr, ptr getelementptr inbounds {{.*}}(i8, ptr @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// CHECK-NEXT: call void [[ENTER]](ptr %gpuinstr)
// CHECK-NEXT: [[R:%.*]] = call i32 @cudaMemcpy(
// CHECK-NEXT: [[WIDE:%.*]] = sext i32 [[R]] to i64
// CHECK-NEXT: [[LEAVE:%.*]] = load ptr, ptr getelementptr inbounds {{.*}}(i8, ptr @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// CHECK-NEXT: call void [[LEAVE]](ptr %gpuinstr, i64 [[WIDE]])
cudaError_t copy(void *a, void *b, size_t n) { return cudaMemcpy(a, b, n, cudaMemcpyDeviceToHost); }

// A function that only calls one with sites has no frame, but announces the call and takes it back.
// CHECK-LABEL: define {{.*}}@_Z4userPvS_m(
// CHECK-NOT: alloca [264
// CHECK: store ptr {{.*}}@__gpuinstr_site
// CHECK: call {{.*}}@_Z4copyPvS_m(
// CHECK: call {{.*}}@llvm.threadlocal.address
// CHECK: store ptr
// CHECK: ret
cudaError_t user(void *a, void *b, size_t n) { return copy(a, b, n); }

// Nothing to do, nothing done.
// CHECK-LABEL: define {{.*}}@_Z5plainii(
// CHECK-NOT: gpuinstr
// CHECK: ret i32
int plain(int a, int b) { return a + b; }

// CHECK: !gpuinstr = !{
