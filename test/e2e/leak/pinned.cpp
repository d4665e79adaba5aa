// Pinned and registered host memory.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=pinned variable=h_ring line=@mallochost count=1 bytes=65536
// EXPECT: leak proven memory=pinned variable=h_mapped line=@hostalloc count=1 bytes=4096
// EXPECT: leak proven memory=registered variable=rows* line=@register count=1 bytes=1048576
// EXPECT-ALL
// EXPECT-TOTAL: memory=device count=0 bytes=0
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <vector>

int main() {
  std::vector<char> rows(1 << 20);
  char *h_ring, *h_mapped;
  CHECK(cudaMallocHost(&h_ring, 65536)); // @mallochost
  CHECK(cudaHostAlloc((void **)&h_mapped, 4096, cudaHostAllocMapped)); // @hostalloc
  CHECK(cudaHostRegister(rows.data(), rows.size(), cudaHostRegisterDefault)); // @register
  h_ring[0] = h_mapped[0] = 1;
#ifdef FIXED
  CHECK(cudaFreeHost(h_ring));
  CHECK(cudaFreeHost(h_mapped));
  CHECK(cudaHostUnregister(rows.data()));
#endif
  puts("done");
}
