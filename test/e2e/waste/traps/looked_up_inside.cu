// An object file without instrumentation looks CUDA's functions up by name, and sets the flag in the end.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-lto nvcc
// WITH-PLAIN: Inputs/looked_up.c
// FLAGS: -ldl
// EXPECT-NO: * proven
// EXPECT-REPORT: *NOT instrumented: parts of * that call dlsym: what they do is unseen, so waste*
#include "../../Inputs/reset_flag.h"

extern "C" int lookedUpInit();
extern "C" int lookedUpRaise(int *flag);

int main() {
  if (lookedUpInit())
    return 1;
  auto raise = [](int round, int *flag) { return round % 38 == 37 && lookedUpRaise(flag) != 0; };
  return resetFlag([](int) { return 0; }, raise) ? 0 : 1;
}
