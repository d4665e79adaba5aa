// As stripped_object, by a pointer in data to the runtime's function.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-static nvcc-static
// FLAGS: -DIN_DATA -Wl,-s
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
