// Called by code that is not instrumented, a wrapper keeps its own line.
// SPDX-License-Identifier: Apache-2.0
// WITH-PLAIN: Inputs/unseen.cpp
// TWIN: FIXED
// EXPECT: leak proven variable=*out function=allocateFor line=@alloc count=1 bytes=128
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc line=@alloc calls=1
// EXPECT-SITE[both]: kind=alloc line=@seen via=@alloc calls=1
#include "../Inputs/check.h"

void allocateUnseen(void (*allocate)(void **, size_t), void **out);

static void allocateFor(void **out, size_t bytes) {
  CHECK(cudaMalloc(out, bytes)); // @alloc
}

int main() {
  void *unseen = nullptr, *seen = nullptr;
  allocateFor(&seen, 64); // @seen
  allocateUnseen(allocateFor, &unseen);
  CHECK(cudaFree(seen));
#ifdef FIXED
  CHECK(cudaFree(unseen));
#endif
  puts("done");
}
