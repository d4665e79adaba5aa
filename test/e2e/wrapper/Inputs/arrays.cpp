// What arrays.h declares.
// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"
#include "../../Inputs/check.h"

void *arrays::detail::allocate(size_t bytes) {
  void *memory;
  CHECK(cudaMalloc(&memory, bytes)); // @malloc
  return memory;
}
void arrays::detail::deallocate(void *memory) { CHECK(cudaFree(memory)); }
