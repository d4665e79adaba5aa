// An object file without instrumentation only asks which devices there are, in a stripped program with the CUDA
// runtime linked in: the proof stands.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-static nvcc nvcc-static
// FLAGS: -DASKS -Wl,-s
// WITH-PLAIN[simulator]: ../traps/Inputs/linked_runtime.c
// WITH-PLAIN: ../traps/Inputs/plain_object.c
// TWIN: FIXED
// EXPECT: noop-copy proven line=@../../Inputs/reset_flag.h:set count>=30
// EXPECT-NO-REPORT: *NOT instrumented*
#include "../../Inputs/reset_flag.h"

extern "C" int raiseFlag(int *flag);
#ifdef FIXED
static int value(int round) { return round; }
#else
static int value(int) { return 0; }
#endif

int main() {
  auto raise = [](int round, int *flag) { return round % 38 == 37 && raiseFlag(flag) != 0; };
  return resetFlag(value, raise) ? 0 : 1;
}
