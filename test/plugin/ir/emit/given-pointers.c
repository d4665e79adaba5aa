// The pointers among a vendor library's arguments, in an array; cublasLt's kernels follow addresses that stand there.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -O0 -S -emit-llvm %s -o - | %FileCheck %s
// Operation 2, detail 0 and 6, the slots of the array, of its length and of how many in it are only read.
// CHECK: @__gpuinstr_site = {{.*}} i16 2, i16 0, i32 {{[0-9]+}}, i16 0, i16 {{[0-9]+}}, i32 1552,
// CHECK: @__gpuinstr_site.1 = {{.*}} i16 2, i16 0, i32 {{[0-9]+}}, i16 6, i16 {{[0-9]+}}, i32 1536,
int cublasLtMatmul(void *, int, const void *);
int cublasSgemm(void *, const void *);
// One array for all calls of a function.
// CHECK-LABEL: define {{.*}} @f
// CHECK: [[ARRAY:%[^ ]+]] = alloca [2 x ptr]
// CHECK-NOT: alloca [{{[0-9]+}} x ptr]
void f(void *p, void *q) {
  // CHECK: store ptr {{.*}}, ptr [[ARRAY]]
  // CHECK: store i64 1,
  // CHECK: call i32 @cublasSgemm(
  cublasSgemm(p, 0);
  // CHECK: store ptr {{.*}}, ptr [[ARRAY]]
  // CHECK: [[SECOND:%[^ ]+]] = getelementptr {{.*}}ptr [[ARRAY]], i64 8
  // CHECK: store ptr {{.*}}, ptr [[SECOND]]
  // CHECK: ptrtoint ptr [[ARRAY]] to i64
  // CHECK: store i64 2,
  // CHECK: call i32 @cublasLtMatmul(
  cublasLtMatmul(p, 1, q);
}
// What points to const stands last, and how many of these there are: float, but no pointers, nor where it may be kept.
// CHECK-LABEL: define {{.*}} @g
// CHECK: store ptr @__gpuinstr_site{{.*}}, ptr [[FRAME:%[^ ]+]], align
// CHECK-NEXT: store ptr [[C:%[^ ]+]], ptr [[TO:%[^ ]+]], align
// CHECK: store ptr [[TABLE:%[^ ]+]], ptr
// CHECK: store ptr [[A:%[^ ]+]], ptr
// CHECK: store ptr [[B:%[^ ]+]], ptr
// CHECK: store i64 4,
// CHECK: store i64 2,
// CHECK: call i32 @cublasSgemv_v2(ptr noundef [[A]], ptr noundef [[B]], ptr noundef [[C]], ptr noundef [[TABLE]])
// CHECK: store i64 2,
// CHECK-NOT: store i64
// CHECK: call i32 @cublasSetWorkspace_v2(
// CHECK: store i64 2,
// CHECK-NOT: store i64
// CHECK: call i32 @cusparseScsrmv(
int cublasSgemv_v2(const float *A, const void *B, float *C, const float *const *table);
int cublasSetWorkspace_v2(void *, const void *);
int cusparseScsrmv(void *, const float *);
void g(const float *A, const void *B, float *C, const float *const *table) {
  cublasSgemv_v2(A, B, C, table);
  cublasSetWorkspace_v2(C, B);
  cusparseScsrmv(C, A);
}
