// What is left in a pool when it is destroyed is no leak.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-SITE: kind=alloc memory=async line=@alloc calls=3 bytes=12288
#include "../Inputs/check.h"

int main() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  cudaMemPool_t pool;
  CHECK(cudaMemPoolCreate(&pool, &props));
  for (int i = 0; i < 3; ++i) {
    void *d_piece;
    CHECK(cudaMallocFromPoolAsync(&d_piece, 4096, pool, nullptr)); // @alloc
  }
  CHECK(cudaStreamSynchronize(nullptr));
  CHECK(cudaMemPoolDestroy(pool));
  puts("done");
}
