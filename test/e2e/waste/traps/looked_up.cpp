// A library without instrumentation looks CUDA's functions up by name, and sets the flag in the end.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-lto
// SHARED-PLAIN: liblookedup.so Inputs/looked_up.c
// FLAGS: -ldl
// EXPECT-NO: * proven
// EXPECT-REPORT: *NOT instrumented: liblookedup.so*
#include "../../Inputs/check.h"

#include <cuda_runtime.h>

extern "C" int lookedUpInit();
extern "C" int lookedUpRaise(int *flag);

int main() {
  int *flag, raised = 0;
  if (lookedUpInit())
    return 1;
  CHECK(cudaMalloc(&flag, 4096));
  for (int round = 0; round < 40; ++round) {
    CHECK(cudaMemset(flag, 0, 4096));
    if (round % 38 == 37 && lookedUpRaise(flag))
      return 1;
    int now = 0;
    CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
    raised += now;
  }
  printf("%d\n", raised);
  CHECK(cudaFree(flag));
}
