// An object file without instrumentation only asks which devices there are: the proof stands.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-static nvcc nvcc-static
// FLAGS: -DASKS
// WITH-PLAIN: ../traps/Inputs/plain_object.c
// TWIN: FIXED
// EXPECT: noop-copy proven line=@set count>=30
// EXPECT-NO-REPORT: *NOT instrumented*
#include "../../Inputs/check.h"

extern "C" int raiseFlag(int *flag);

int main() {
  int *flag, raised = 0;
  CHECK(cudaMalloc(&flag, 4096));
  for (int round = 0; round < 40; ++round) {
#ifdef FIXED
    CHECK(cudaMemset(flag, round, 4096));
#else
    CHECK(cudaMemset(flag, 0, 4096)); // @set
#endif
    if (round % 38 == 37 && raiseFlag(flag))
      return 1;
    int now = 0;
    CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
    raised += now;
  }
  printf("%d\n", raised);
  CHECK(cudaFree(flag));
}
