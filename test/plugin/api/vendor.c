// Vendor libraries by prefix: timed, with their status. Of some, their pointers say what they touch.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
typedef enum { OK } status_t;
status_t cublasCreate_v2(void **);
status_t cufftExecC2C(int, void *, void *, int);
status_t cusolverDnCreate(void **);
status_t ncclAllReduce(const void *, void *, unsigned long, int, int, void *, void *);
status_t cudnnCreate(void **);
int nppiAdd_8u_C1R(const void *, int, const void *, int, void *, int);
int nvjpegDecode(void *, void *, const void *, unsigned long, int, void *, void *);
status_t cublasSgemmBatched(void *, const float *const *, float *const *, int);
status_t cublasSgemmStridedBatched(void *, const float *, float *, int);
status_t cublasXtSgemm(void *, const float *, float *);
status_t cublasLtMatmul(void *, void *, const void *, void *);
status_t cublasLtMatmulDescSetAttribute(void *, int, const void *, unsigned long);
status_t cublasSetVector(int, int, const void *, int, void *, int);
void cublasSaxpy(int, float, const float *, int, float *, int);
float cublasSnrm2(int, const float *, int);
int cublasIsamax(int, const float *, int);
status_t cublasIsamax_v2(void *, int, const float *, int, int *);
const char *cublasGetStatusString(status_t);
unsigned long cudnnGetVersion(void);
void curand_init(void);
void f(void *p) {
  cublasCreate_v2(&p);                     // CHECK: library cublasCreate{{.*}} in f [discarded status]
  cufftExecC2C(1, p, p, 1);                // CHECK-NEXT: library cufftExecC2C{{.*}} in f [discarded status]
  cusolverDnCreate(&p);                    // CHECK-NEXT: library cusolverDnCreate
  ncclAllReduce(p, p, 1, 1, 1, p, p);      // CHECK-NEXT: library ncclAllReduce
  cudnnCreate(&p);                         // CHECK-NEXT: library cudnnCreate
  nppiAdd_8u_C1R(p, 1, p, 1, p, 1);        // CHECK-NEXT: library nppiAdd_8u_C1R
  nvjpegDecode(p, p, p, 1, 1, p, p);       // CHECK-NEXT: library nvjpegDecode
  // CHECK-NEXT: library cublasSgemmBatched{{.*}} in f [discarded status]{{$}}
  cublasSgemmBatched(p, p, p, 1);
  // CHECK-NEXT: library cublasSgemmStridedBatched{{.*}} in f [discarded status] {kind args params}
  cublasSgemmStridedBatched(p, p, p, 1);
  // CHECK-NEXT: library cublasXtSgemm{{.*}} in f [discarded status]{{$}}
  cublasXtSgemm(p, p, p);
  // CHECK-NEXT: library cublasLtMatmul(p, p, p, p) in f [discarded status] {args params}
  cublasLtMatmul(p, p, p, p);
  // CHECK-NEXT: library cublasLtMatmulDescSetAttribute{{.*}} in f [discarded status] {src bytes args params}
  cublasLtMatmulDescSetAttribute(p, 1, p, 8);
  // CHECK-NEXT: library cublasSetVector{{.*}} in f [discarded status]{{$}}
  cublasSetVector(1, 1, p, 1, p, 1);
  // What cublas.h declares returns values, or nothing.
  // CHECK-NEXT: library cublasSaxpy{{.*}} in f {kind args params}
  cublasSaxpy(1, 1, p, 1, p, 1);
  // CHECK-NEXT: library cublasSnrm2{{.*}} in f [discarded] {kind args params}
  cublasSnrm2(1, p, 1);
  // CHECK-NEXT: library cublasIsamax{{.*}} in f [discarded] {kind args params}
  cublasIsamax(1, p, 1);
  // CHECK-NEXT: library cublasIsamax{{.*}} in f [discarded status] {kind args params}
  cublasIsamax_v2(p, 1, p, 1, p);
  cudnnGetVersion();
  cublasGetStatusString(OK);               // CHECK-NOT: library
  curand_init();
}
