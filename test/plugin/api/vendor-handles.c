// What makes a vendor library's handle names the variable that receives it, and is a call of a
// library all the same.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
typedef enum { OK } status_t;
typedef int plan_t;
typedef struct { char internal[128]; } id_t_;
status_t cublasCreate_v2(void **);
status_t cublasDestroy_v2(void *);
status_t cufftPlan1d(plan_t *, int, int, int);
status_t cufftDestroy(plan_t);
status_t ncclCommInitRank(void **, int, id_t_, int);
status_t ncclCommSplit(void *, int, int, void **, void *);
struct State { void *blas; plan_t plans[2]; } state;
void f(id_t_ id) {
  void *comm, *half;
  cublasCreate_v2(&state.blas);                // CHECK: library cublasCreate({{.*}}) -> state.blas
  cufftPlan1d(&state.plans[1], 8, 1, 1);       // CHECK-NEXT: library cufftPlan1d({{.*}}) -> state.plans[1]
  cufftDestroy(state.plans[1]);                // CHECK-NEXT: library cufftDestroy({{.*}}) -> state.plans[1]
  ncclCommInitRank(&comm, 1, id, 0);           // CHECK-NEXT: library ncclCommInitRank({{.*}}) -> comm
  ncclCommSplit(comm, 0, 0, &half, (void *)0); // CHECK-NEXT: library ncclCommSplit({{.*}}) -> half
  cublasDestroy_v2(state.blas);                // CHECK-NEXT: library cublasDestroy({{.*}}) -> state.blas
}
