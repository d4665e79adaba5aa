// A result is discarded where the source drops it, and nowhere else.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
void use(cudaError_t);
cudaError_t returned(void *p) {
  // CHECK: [[@LINE+1]]:10 returned calls cudaFree(p) variable=p type=void{{$}}
  return cudaFree(p);
}
int main() {
  bool b = true;
  // CHECK: [[@LINE+1]]:3 main calls cudaFree(nullptr){{.*}} discarded
  cudaFree(nullptr);
  // CHECK: [[@LINE+1]]:9 main calls cudaFree((void *)1){{.*}} discarded
  (void)cudaFree((void *)1);
  // CHECK: [[@LINE+1]]:21 main calls cudaFree((void *)2){{.*}} discarded
  static_cast<void>(cudaFree((void *)2));
  // CHECK: [[@LINE+2]]:4 main calls cudaFree((void *)3){{.*}} discarded
  // CHECK: [[@LINE+1]]:25 main calls cudaFree((void *)4){{.*}} discarded
  (cudaFree((void *)3), cudaFree((void *)4));
  // CHECK: [[@LINE+1]]:7 main calls cudaFree((void *)5){{.*}} discarded
  b ? cudaFree((void *)5) : cudaSuccess;
  // CHECK: [[@LINE+2]]:8 main calls cudaFree((void *)6){{.*}} discarded
  // CHECK: [[@LINE+1]]:32 main calls cudaFree((void *)7){{.*}} discarded
  for (cudaFree((void *)6); b; cudaFree((void *)7))
    b = false;
  if (b)
    // CHECK: [[@LINE+1]]:5 main calls cudaFree((void *)8){{.*}} discarded
    cudaFree((void *)8);
  // CHECK: [[@LINE+1]]:6 main calls cudaFree((void *)9){{.*}} discarded
  ({ cudaFree((void *)9); });
  // CHECK: [[@LINE+1]]:19 main calls cudaFree((void *)10){{[^d]*$}}
  cudaError_t e = cudaFree((void *)10);
  // CHECK: [[@LINE+1]]:7 main calls cudaFree((void *)11){{[^d]*$}}
  e = cudaFree((void *)11);
  // CHECK: [[@LINE+1]]:7 main calls cudaFree((void *)12){{[^d]*$}}
  use(cudaFree((void *)12));
  // CHECK: [[@LINE+1]]:7 main calls cudaFree((void *)13){{[^d]*$}}
  if (cudaFree((void *)13))
    return 1;
  // CHECK: [[@LINE+1]]:12 main calls cudaFree((void *)14){{[^d]*$}}
  e = ({ ; cudaFree((void *)14); });
  // CHECK: [[@LINE+1]]:8 main calls cudaFree((void *)15){{[^d]*$}}
  b && cudaFree((void *)15);
  return 0;
}
// CHECK: joined {{[0-9]+}}, unjoined 0
