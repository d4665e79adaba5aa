// A global std::vector of pointers: its elements count once, as leak or as held.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-TOTAL: memory=device count=3 bytes=3072
// EXPECT-STDOUT: 3 blocks
#include "../Inputs/check.h"

#include <vector>

static std::vector<void *> g_blocks;

int main() {
  for (int i = 0; i < 3; ++i) {
    void *block;
    CHECK(cudaMalloc(&block, 1024));
    g_blocks.push_back(block);
  }
  printf("%zu blocks\n", g_blocks.size());
}
