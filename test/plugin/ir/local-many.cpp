// Of many calls in one function that returns something, no pointer is followed: compile time grows with their number alone.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -std=c++17 %instr -O1 -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites > %t.txt
// RUN: %FileCheck %s < %t.txt
// CHECK: alloc cudaMalloc{{.*}} in many
// CHECK-NOT: in many {{.*}} local
// CHECK: alloc cudaMalloc{{.*}} in few {{.*}} local
extern "C" int cudaMalloc(void **, unsigned long);
extern "C" int cudaFree(void *);

#define ONE(n)                                                                                                           \
  {                                                                                                                    \
    void *p##n;                                                                                                          \
    cudaMalloc(&p##n, 1 + n);                                                                                            \
    cudaFree(p##n);                                                                                                      \
  }
#define FOUR(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)
#define MORE(n) FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
#define MANY(n) MORE(n##0) MORE(n##1) MORE(n##2) MORE(n##3)
void *other();
void *many() {
  MANY(1) MANY(2) MANY(3) MANY(4)
  return other();
}
void *few() {
  ONE(1)
  return other();
}
