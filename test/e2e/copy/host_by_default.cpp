// Copies within the host's memory that leave it to CUDA to find that out are no transfers, and the
// others are judged without them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT-REPORT: RESULT *clean*
// EXPECT-NO-REPORT: RESULT*not judged*
// EXPECT-CLEAN
#include "../Inputs/check.h"

#include <vector>

int main() {
  std::vector<char> from(1 << 16), to(1 << 16);
  void *d_x, *pinned;
  CHECK(cudaMalloc(&d_x, 4096));
  CHECK(cudaMallocHost(&pinned, 1 << 16));
  from[7] = 3;
  CHECK(cudaMemcpy(d_x, from.data(), 4096, cudaMemcpyDefault));
  for (int i = 0; i < 20; ++i) {
    from[i] = char(i + 1);
    CHECK(cudaMemcpy(to.data(), from.data(), to.size(), cudaMemcpyDefault));
    CHECK(cudaMemcpy(pinned, to.data(), to.size(), cudaMemcpyDefault));
  }
  CHECK(cudaMemcpy(to.data(), d_x, 4096, cudaMemcpyDefault));
  printf("%d %d\n", to[7], static_cast<char *>(pinned)[19]);
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(pinned));
}
