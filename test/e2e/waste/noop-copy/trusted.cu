// The user says that an object file without instrumentation touches no memory of the others: proofs
// stand, and SCOPE names it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -DOWN
// WITH-PLAIN: ../traps/Inputs/plain_object.c
// OPTIONS: trust=app
// TWIN: FIXED
// EXPECT: noop-copy proven line=@../../Inputs/reset_flag.h:set count>=30
// EXPECT-REPORT: *NOT instrumented: parts of app that call cudaMemcpy, cudaMalloc: trusted*
#include "../../Inputs/reset_flag.h"

extern "C" int raiseFlag(int *flag);
#ifdef FIXED
static int value(int round) { return round; }
#else
static int value(int) { return 0; }
#endif

int main() {
  auto raise = [](int, int *flag) { return raiseFlag(flag) != 0; };
  return resetFlag(value, raise) ? 0 : 1;
}
