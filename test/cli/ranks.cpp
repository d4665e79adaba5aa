// Processes of one job: a profile each, one merged report that names the slow and the leaking rank.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: env OMPI_COMM_WORLD_RANK=0 %gpuinstr run --simulate --report off --json %t/out/%r.json -- %t/app
// RUN: env OMPI_COMM_WORLD_RANK=1 %gpuinstr run --simulate --report off --json %t/out/%r.json -- %t/app
// RUN: env OMPI_COMM_WORLD_RANK=2 %gpuinstr run --simulate --report off --json %t/out/%r.json -- %t/app
// RUN: env OMPI_COMM_WORLD_RANK=3 %gpuinstr run --simulate --report off --json %t/out/%r.json -- %t/app
// RUN: ls %t/out | %count 4
// RUN: %gpuinstr merge %t/out -o %t/all.json
// RUN: %check_json %t/all.json
// RUN: %gpuinstr report %t/all.json | %FileCheck %s
// CHECK: RANKS {{ *}}4 processes on 1 host
// CHECK-NEXT: slow:   rank 2 (+{{[0-9]+}} %, at ranks.cpp:{{[0-9]+}} cudaStreamSynchronize)
// CHECK-NEXT: leaks:  rank 3, ranks.cpp:{{[0-9]+}} d_lost 4.10 kB
// CHECK-NEXT: == gpuinstr: {{.*}} (4 processes) {{ *}}simulated device
// CHECK: in CUDA calls {{.*}} on rank 2,
// CHECK: IMBALANCE
// CHECK: leak {{.*}} d_lost {{.*}} on rank 3
// RUN: %gpuinstr annotate --source %S %t/all.json | %FileCheck %s --check-prefix=LINES
// LINES: 4 {{.*}} | {{.*}}cudaMalloc(&d_lost
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

int main() {
  int rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
  float *d_lost = nullptr;
  (void)!cudaMalloc(&d_lost, 4096);
  cudaStream_t stream;
  (void)!cudaStreamCreate(&stream);
  if (rank == 2) // the host function keeps this rank waiting
    (void)!cudaLaunchHostFunc(stream, [](void *) { usleep(300000); }, nullptr);
  (void)!cudaStreamSynchronize(stream);
  (void)!cudaStreamDestroy(stream);
  if (rank != 3)
    (void)!cudaFree(d_lost);
}
