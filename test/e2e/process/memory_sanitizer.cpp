// Under MemorySanitizer the program runs as if it were not instrumented: what code without it writes, the runtime's
// too, counts as uninitialised there, and ends the program.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: simulator
// FLAGS: -fsanitize=memory
// EXPECT-STDERR: gpuinstr: MemorySanitizer is in the program, which runs uninstrumented
// EXPECT-STDOUT: done
// EXPECT-PROFILES: 0
#include "Inputs/work.h"

int main() {
  work();
  puts("done");
}
