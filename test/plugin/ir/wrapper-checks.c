// Functions that check calls: they ask CUDA for errors, and take nothing from a wrapper.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clang %instr -O2 -g -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx -x c++ %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Functions of another file.
void error(const char *text);
void log_error(const char *file, int line);

// CHECK-DAG: get-error cudaGetLastError{{.*}} in check [cuda-error]
void check(cudaError_t status) {
  char text[256];
  cudaError_t before = cudaGetLastError();
  if (status != cudaSuccess || before != cudaSuccess) {
    snprintf(text, sizeof text, "CUDA Error: %s", cudaGetErrorString(status));
    error(text);
  }
}
// CHECK-DAG: peek-error cudaPeekAtLastError{{.*}} in check_in [cuda-error wrapper]
void check_in(cudaError_t status, const char *file, int line) {
  if (status != cudaSuccess || cudaPeekAtLastError() != cudaSuccess) {
    log_error(file, line);
    _exit(1);
  }
}
void check_here(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    puts(what);
  check(status);
}
// CHECK-DAG: other cuGetErrorString({{.*}} in check_driver [cu-result driver]
void check_driver(CUresult result) {
  const char *text = NULL;
  if (result != CUDA_SUCCESS && cuGetErrorString(result, &text) == CUDA_SUCCESS)
    puts(text);
}
// Two that call each other.
void check_again(cudaError_t status, int times);
void check_times(cudaError_t status, int times) {
  if (times)
    check_again(status, times - 1);
}
void check_again(cudaError_t status, int times) {
  check(status);
  check_times(cudaGetLastError(), times);
}

// CHECK-DAG: copy cudaMemcpy(x_gpu, {{.*}} in push [cuda-error wrapper]
// CHECK-DAG: caller check(status{{.*}} in push{{$}}
void push(float *x_gpu, float *x, size_t n) {
  cudaError_t status = cudaMemcpy(x_gpu, x, n * sizeof(float), cudaMemcpyHostToDevice);
  check(status);
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in make [cuda-error wrapper]
float *make(size_t n) {
  float *x = NULL;
  check(cudaMalloc((void **)&x, n * sizeof(float)));
  if (!x)
    error("no memory");
  return x;
}
// CHECK-DAG: copy cudaMemcpy({{.*}} in pull [cuda-error wrapper]
// CHECK-DAG: caller check_in({{.*}} in pull{{$}}
void pull(float *x_gpu, float *x, size_t n) {
  check_in(cudaMemcpy(x, x_gpu, n * 4, cudaMemcpyDeviceToHost), __FILE__, __LINE__);
}
// CHECK-DAG: set cudaMemset({{.*}} in zero [cuda-error wrapper]
void zero(float *x, size_t n) { check_again(cudaMemset(x, 0, n), 1); }
// CHECK-DAG: free cuMemFree{{.*}} in drop [cu-result driver wrapper]
void drop(CUdeviceptr x) { check_driver(cuMemFree(x)); }
// However often, in a loop, and with what was given.
// CHECK-DAG: alloc cudaMalloc({{.*}} in fresh [cuda-error wrapper]
// CHECK-DAG: copy cudaMemcpy({{.*}} in fresh [cuda-error wrapper]
// CHECK-DAG: caller check_here({{.*}} in fresh{{$}}
void fresh(float **to, const float *from, size_t n, const char *what) {
  check_here(cudaMalloc((void **)to, n), what);
  check_here(cudaMemcpy(*to, from, n, cudaMemcpyHostToDevice), what);
  for (int i = 0; i < 2; ++i)
    check_here(cudaGetLastError(), what);
}
// A wrapper of one.
// CHECK-DAG: caller push({{.*}} in push_all [wrapper]
void push_all(float *x_gpu, float *x) {
  push(x_gpu, x, 64);
  check(cudaGetLastError());
}
// What is handed on where it cannot be seen is, as ever.
// CHECK-DAG: caller check_in({{.*}} in seen_through [wrapper]
void seen_through(const char *file) { check_in(cudaSuccess, file, 1); }

// Nothing but a check.
// CHECK-DAG: caller check_here({{.*}} in checks{{$}}
void checks(const char *what) { check_here(cudaGetLastError(), what); }

// What waits or copies is no check.
void check_now(cudaError_t status) {
  check(status);
  check(cudaDeviceSynchronize());
}
void check_flag(cudaError_t status) {
  static int *flag, host;
  check(status);
  check(cudaMemcpy(&host, flag, sizeof host, cudaMemcpyDeviceToHost));
}
void check_both(cudaError_t status) { check_now(status); }
// CHECK-DAG: copy cudaMemcpy({{.*}} in push_now [cuda-error]
void push_now(float *x_gpu, float *x) {
  check_now(cudaMemcpy(x_gpu, x, 64, cudaMemcpyHostToDevice));
}
// CHECK-DAG: copy cudaMemcpy({{.*}} in push_flag [cuda-error]
void push_flag(float *x_gpu, float *x) {
  check_flag(cudaMemcpy(x_gpu, x, 64, cudaMemcpyHostToDevice));
}
// CHECK-DAG: copy cudaMemcpy({{.*}} in push_both [cuda-error]
void push_both(float *x_gpu, float *x) {
  check_both(cudaMemcpy(x_gpu, x, 64, cudaMemcpyHostToDevice));
}
// Through a pointer, whatever it calls there.
void (*handler)(cudaError_t) = check_flag;
void check_handled(cudaError_t status) {
  if (status != cudaSuccess || cudaGetLastError() != cudaSuccess)
    handler(status);
}
// CHECK-DAG: copy cudaMemcpy({{.*}} in push_handled [cuda-error]
void push_handled(float *x_gpu, float *x) {
  check_handled(cudaMemcpy(x_gpu, x, 64, cudaMemcpyHostToDevice));
}
// CHECK-DAG: copy cudaMemcpy({{.*}} in own [cuda-error]
void own(const float *x) {
  static float *mine;
  check(cudaMemcpy(mine, x, 64, cudaMemcpyHostToDevice));
}
