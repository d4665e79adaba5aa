// Synchronisations from which a way leads to a launch, or all lead to another call of CUDA, on which
// the host could not tell whether the device is done.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O1 -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__global__ void step(float *x) { x[threadIdx.x] += 1; }
void elsewhere();
int Done;
static void launches(float *x) {
  printf("next\n");
  step<<<1, 32>>>(x);
}
static void tells(float *x) {
  clock();
  step<<<1, 32>>>(x);
}
#define CHECK(call)                                                                                \
  if (cudaError_t e = (call)) {                                                                    \
    fprintf(stderr, "%s\n", cudaGetErrorString(e));                                                \
    exit(1);                                                                                       \
  }
void yes(float *x, int n) {
  for (int i = 0; i < n; ++i) {
    step<<<dim3(1), dim3(32)>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in yes [discarded cuda-error quiet quiet-all]
    cudaDeviceSynchronize();
    n -= int(pow(2, i));
  }
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-stream {{.*}} in yes [cuda-error{{.*}} quiet quiet-all]
  CHECK(cudaStreamSynchronize(nullptr));
  CHECK(cudaGetLastError());
  launches(x);
  // The next is the loop's way out of the time's measure: there is another one.
  for (int i = 0; i < n; ++i) {
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in yes [discarded cuda-error quiet]
    cudaDeviceSynchronize();
  }
  clock();
}
void no(float *x, int n, cudaEvent_t event, void (*any)()) {
  for (int i = 0; i < n; ++i) {
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    clock();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    elsewhere();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    any();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error quiet-all]
    cudaDeviceSynchronize();
    cudaEventRecord(event);
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    tells(x);
    // Events are another matter.
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-event {{.*}} in no [discarded cuda-error]
    cudaEventSynchronize(event);
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    asm volatile("rdtsc" ::: "eax", "edx");
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in no [discarded cuda-error]
    cudaDeviceSynchronize();
    __atomic_store_n(&Done, n, __ATOMIC_RELEASE);
  }
}
extern "C" void checkIt(cudaError_t, const char *, int);
bool isFine(cudaError_t);
void note(cudaError_t, int *);
void readTime(cudaError_t);
void put(int);
/// What gets the status, and nothing else that is known here, checks it.
void unseenChecks(float *x, int *notes) {
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unseenChecks [cuda-error quiet quiet-all]
  checkIt(cudaDeviceSynchronize(), __FILE__, __LINE__);
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unseenChecks [cuda-error quiet{{.*}}]
  cudaError_t status = cudaDeviceSynchronize();
  if (!isFine(status))
    return;
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unseenChecks [cuda-error]
  note(cudaDeviceSynchronize(), notes);
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unseenChecks [cuda-error]
  readTime(cudaDeviceSynchronize());
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unseenChecks [cuda-error]
  put(cudaDeviceSynchronize());
  step<<<1, 32>>>(x);
}
static void waits(float *x) {
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in waits [discarded cuda-error quiet-all quiet-out]
  cudaDeviceSynchronize();
}
/// A way leads from the call of what waits last to a launch.
void callers(float *x, int n) {
  clock();
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: caller waits(x) in callers [quiet]
    waits(x);
  clock();
  for (int i = 0; i < n; ++i) {
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: caller waits(x) in callers{{$}}
    waits(x);
    clock();
  }
}
bool Timing;
struct Run {
  bool timing;
  int rounds;
  bool isTimed() const { return timing; }
};
static void tellsIf(bool now) {
  if (now)
    clock();
}
/// Whether the clock is read decides something that stays as it is in all rounds; or changes with them.
void steady(float *x, int n, Run &run, int mode) {
  for (int i = 0; i < n; ++i) {
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [discarded cuda-error]
    cudaDeviceSynchronize();
    if (Timing)
      clock();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [cuda-error{{[^q]*}}]
    CHECK(cudaDeviceSynchronize());
    if (run.isTimed() && x)
      clock();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [discarded cuda-error]
    cudaDeviceSynchronize();
    switch (mode) {
    case 2:
      clock();
      break;
    default:
      break;
    }
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [discarded cuda-error]
    cudaDeviceSynchronize();
    for (int k = 0; k < mode; ++k)
      clock();
  }
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [discarded cuda-error]
  cudaDeviceSynchronize();
  if (Timing)
    clock();
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in steady [discarded cuda-error]
  cudaDeviceSynchronize();
  __builtin_readcyclecounter();
  step<<<1, 32>>>(x);
}
void unsteady(float *x, int n, Run &run) {
  for (int i = 0; i < n; ++i) {
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unsteady [discarded cuda-error quiet]
    cudaDeviceSynchronize();
    if (i % 100 == 0 || i == n - 1)
      clock();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unsteady [discarded cuda-error quiet]
    cudaDeviceSynchronize();
    if (Timing && ++run.rounds % 10 == 0)
      clock();
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unsteady [discarded cuda-error quiet]
    cudaDeviceSynchronize();
    tellsIf(i == 3);
    step<<<1, 32>>>(x);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unsteady [discarded cuda-error quiet]
    cudaDeviceSynchronize();
    if (Timing && x[0] < 1) {
      clock();
      break;
    }
  }
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in unsteady [discarded cuda-error quiet]
  cudaDeviceSynchronize();
  if (n % 100 == 0)
    clock();
  step<<<1, 32>>>(x);
}
void makes(float *x) {
  float *y;
  step<<<1, 32>>>(x);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in makes [discarded cuda-error quiet quiet-all]
  cudaDeviceSynchronize();
  cudaMalloc(&y, 128);
  step<<<1, 32>>>(y);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in makes [discarded cuda-error]
  cudaDeviceSynchronize();
  cudaMalloc(&y, 128);
  clock();
  step<<<1, 32>>>(y);
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in makes [discarded cuda-error quiet-all]
  cudaDeviceSynchronize();
  cudaMallocHost(&y, 128);
  step<<<1, 32>>>(y);
}
static void waits() {
  // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in waits [cuda-error{{.*}} quiet-all quiet-out]
  CHECK(cudaDeviceSynchronize());
}
struct Timer {
  ~Timer() { clock(); }
};
void copies(float *x, float *host, int n) {
  for (int i = 0; i < n; ++i) {
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: caller waits() in copies [quiet-all]
    waits();
    cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in copies [discarded cuda-error quiet-all]
    cudaDeviceSynchronize();
    if (n == 3) {
      Timer away;
      throw n;
    }
    cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost);
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: caller waits() in copies{{$}}
    waits();
    clock();
    // CHECK-DAG: quiet.cu:[[#@LINE+1]]:{{.*}}: sync-device cudaDeviceSynchronize() in copies [discarded cuda-error]
    cudaDeviceSynchronize();
    if (n == 5)
      clock();
    cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost);
  }
}
