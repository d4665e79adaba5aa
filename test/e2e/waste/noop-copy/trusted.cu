// The user says that an object file without instrumentation touches no memory of the others: proofs
// stand, and SCOPE names it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -DOWN
// WITH-PLAIN: ../traps/Inputs/plain_object.c
// OPTIONS: trust=app
// TWIN: FIXED
// EXPECT: noop-copy proven line=@set count>=30
// EXPECT-REPORT: *NOT instrumented: parts of app that call cudaMemcpy, cudaMalloc: trusted*
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
    if (raiseFlag(flag))
      return 1;
    int now = 0;
    CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
    raised += now;
  }
  printf("%d\n", raised);
  CHECK(cudaFree(flag));
}
