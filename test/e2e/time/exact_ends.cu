// Exact times with a forked child, a device reset in mid-run and a launch that fails.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: gpu
// OPTIONS: gpu_time=exact:audit=off
// EXPECT-SITE: line=@before device-method=exact device-operations=30
// EXPECT-SITE: line=@after device-method=exact device-operations=20
// EXPECT-SITE: line=@fails calls=1 device-method= device-operations=0
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void touch(int *x) { *x += 1; }

int main() {
  int *d_x;
  CHECK(cudaMalloc(&d_x, sizeof(int)));
  for (int i = 0; i < 30; ++i)
    touch<<<1, 1>>>(d_x); // @before
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&d_x, sizeof(int)));
  touch<<<1, 4096>>>(d_x); // @fails
  if (cudaGetLastError() == cudaSuccess)
    return 1;
  for (int i = 0; i < 20; ++i)
    touch<<<1, 1>>>(d_x); // @after
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
}
