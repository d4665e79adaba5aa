/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static void check_error(cudaError_t status) {
  cudaError_t before = cudaGetLastError();
  if (status != cudaSuccess || before != cudaSuccess) {
    printf("CUDA Error: %s\n", cudaGetErrorString(status != cudaSuccess ? status : before));
    exit(1);
  }
}

/* This one waits: a job. */
static void check_all(cudaError_t status) {
  check_error(status);
  check_error(cudaDeviceSynchronize());
}

void cuda_push_array(float *x_gpu, const float *x, size_t n) {
  cudaError_t status = cudaMemcpy(x_gpu, x, n * sizeof(float), cudaMemcpyHostToDevice); /* @push */
  check_error(status);
}

void cuda_push_waited(float *x_gpu, const float *x, size_t n) {
  check_all(cudaMemcpy(x_gpu, x, n * sizeof(float), cudaMemcpyHostToDevice)); /* @waited */
}

float *cuda_make_array(const float *x, size_t n) {
  float *x_gpu = NULL;
  check_error(cudaMalloc((void **)&x_gpu, n * sizeof(float))); /* @alloc */
  check_error(cudaMemcpy(x_gpu, x, n * sizeof(float), cudaMemcpyHostToDevice));
  return x_gpu;
}

void cuda_free(float *x_gpu) { check_error(cudaFree(x_gpu)); }
