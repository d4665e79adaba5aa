// As plain_object, beside code of the medium model, of which LLVM writes longer entries into the list of its functions.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-static
// FLAGS: -mcmodel=medium
// WITH-PLAIN: Inputs/plain_object.c
// EXPECT-NO: * proven
// EXPECT-REPORT: *NOT instrumented: parts of * that call cudaMemcpy: what they do is unseen, so waste*
#include "../../Inputs/reset_flag.h"

extern "C" int raiseFlag(int *flag);

int main() {
  auto raise = [](int round, int *flag) { return round % 38 == 37 && raiseFlag(flag) != 0; };
  return resetFlag([](int) { return 0; }, raise) ? 0 : 1;
}
