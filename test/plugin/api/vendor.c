// Vendor libraries by prefix: timed, with their status.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
typedef enum { OK } status_t;
status_t cublasCreate_v2(void **);
status_t cufftExecC2C(int, void *, void *, int);
status_t cusolverDnCreate(void **);
status_t ncclAllReduce(const void *, void *, unsigned long, int, int, void *, void *);
status_t cudnnCreate(void **);
const char *cublasGetStatusString(status_t);
void curand_init(void);
void f(void *p) {
  cublasCreate_v2(&p);                     // CHECK: library cublasCreate{{.*}} in f [discarded status]
  cufftExecC2C(1, p, p, 1);                // CHECK-NEXT: library cufftExecC2C{{.*}} in f [discarded status]
  cusolverDnCreate(&p);                    // CHECK-NEXT: library cusolverDnCreate
  ncclAllReduce(p, p, 1, 1, 1, p, p);      // CHECK-NEXT: library ncclAllReduce
  cudnnCreate(&p);                         // CHECK-NEXT: library cudnnCreate
  cublasGetStatusString(OK);               // CHECK-NOT: library
  curand_init();
}
