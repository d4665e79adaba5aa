// An object file without instrumentation sets the flag in the end: nothing proves that the sets before
// were for nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-static nvcc nvcc-static
// WITH-PLAIN: Inputs/plain_object.c
// EXPECT-NO: * proven
// EXPECT-REPORT: *NOT instrumented: parts of * that call cudaMemcpy: what they do is unseen, so waste*
#include "../../Inputs/check.h"

extern "C" int raiseFlag(int *flag);

int main() {
  int *flag, raised = 0;
  CHECK(cudaMalloc(&flag, 4096));
  for (int round = 0; round < 40; ++round) {
    CHECK(cudaMemset(flag, 0, 4096));
    if (round % 38 == 37 && raiseFlag(flag))
      return 1;
    int now = 0;
    CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
    raised += now;
  }
  printf("%d\n", raised);
  CHECK(cudaFree(flag));
}
