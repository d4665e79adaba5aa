// Parameter lists that CUDA 13 changed are told apart by their number, whatever headers there are.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr %verify -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
typedef unsigned long size_t;
typedef struct {
  int type, id;
} location;
int cudaMemPrefetchAsync(const void *, size_t, int, void *);
int cudaMemPrefetchAsync_v2(const void *, size_t, location, unsigned, void *);
int cudaGraphInstantiate(void **, void *, void **, char *, size_t);
int cudaMemcpyBatchAsync(void **, void **, size_t *, size_t, void *, size_t *, size_t, size_t *,
                         void *);
int cuStreamBeginCapture(void *);
int cuStreamBeginCapture_v2(void *, int);
int cudaMalloc(void); // nothing like the one that is known: no operands
void f(void *p, location l) {
  // CHECK: prefetch cudaMemPrefetchAsync(p, 4, 1, p){{.*}} {dst bytes stream kind}
  cudaMemPrefetchAsync(p, 4, 1, p);
  // CHECK: prefetch cudaMemPrefetchAsync{{.*}}(p, 4, l, 0, p){{.*}} {dst bytes stream kind}
  cudaMemPrefetchAsync_v2(p, 4, l, 0, p);
  // CHECK: create cudaGraphInstantiate({{.*}} {dst src}
  cudaGraphInstantiate(p, p, p, 0, 0);
  // CHECK: copy-batch cudaMemcpyBatchAsync({{.*}} {dst src bytes stream params}
  cudaMemcpyBatchAsync(p, p, p, 1, p, p, 1, p, p);
  // CHECK: capture-begin cuStreamBeginCapture{{.*}} {stream}
  cuStreamBeginCapture(p);
  // CHECK: capture-begin cuStreamBeginCapture{{.*}} {stream kind}
  cuStreamBeginCapture_v2(p, 1);
  // CHECK: alloc cudaMalloc(){{.*}} in f [discarded cuda-error]{{$}}
  cudaMalloc();
}
