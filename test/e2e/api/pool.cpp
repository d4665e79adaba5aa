// A pool that announces its pieces: the slab is held, not leaked.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -I%gpuinstr
// EXPECT: held-at-exit information memory=device variable=pool type=char line=@pool via=@slab count=1 bytes=1048576
// EXPECT-CLEAN
// EXPECT-NO: leak
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

class Pool {
public:
  Pool() {
    CHECK(cudaMalloc((void **)&slab, 1 << 20)); // @slab
  }
  void *take(size_t bytes) {
    void *piece = slab + used;
    used += bytes;
    gpuinstr_pool_alloc(this, piece, bytes);
    return piece;
  }
  void give(void *piece) { gpuinstr_pool_free(this, piece); }

private:
  char *slab;
  size_t used = 0;
};

int main() {
  auto *pool = new Pool; // @pool
  void *a = pool->take(4096), *b = pool->take(8192);
  CHECK(cudaMemset(a, 0, 4096));
  CHECK(cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice));
  pool->give(a);
  pool->give(b);
  puts("done");
}
