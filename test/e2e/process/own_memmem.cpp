// The program has a memmem of its own, as one under AddressSanitizer has, whose function refuses what
// may well be read: the runtime does without.
// SPDX-License-Identifier: Apache-2.0
// SHARED-PLAIN: liblookedup.so ../waste/traps/Inputs/looked_up.c
// FLAGS: -ldl -rdynamic
// EXPECT-CLEAN
// EXPECT-REPORT: *NOT instrumented: liblookedup.so*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

extern "C" int lookedUpInit();

extern "C" void *memmem(const void *, size_t, const void *, size_t) noexcept { abort(); }

int main() {
  if (lookedUpInit())
    return 1;
  void *memory;
  CHECK(cudaMalloc(&memory, 4096));
  CHECK(cudaFree(memory));
  printf("done\n");
}
