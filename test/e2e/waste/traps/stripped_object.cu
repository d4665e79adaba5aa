// An object file without instrumentation sets the flag in the end, in a stripped program with the CUDA runtime linked
// in: the list that the plugin has the linker fill in tells where its functions lie.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-static nvcc nvcc-static
// FLAGS: -Wl,-s
// WITH-PLAIN[simulator]: Inputs/linked_runtime.c
// WITH-PLAIN: Inputs/plain_object.c
// EXPECT-NO: * proven
// EXPECT-REPORT: *NOT instrumented: parts of * that call cudaMemcpy: what they do is unseen, so waste*
#include "../../Inputs/reset_flag.h"

extern "C" int raiseFlag(int *flag);

int main() {
  auto raise = [](int round, int *flag) { return round % 38 == 37 && raiseFlag(flag) != 0; };
  return resetFlag([](int) { return 0; }, raise) ? 0 : 1;
}
