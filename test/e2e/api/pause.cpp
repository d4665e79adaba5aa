// Paused: nothing is counted and nothing found, but allocations stay tracked.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -I%gpuinstr
// EXPECT: leak proven variable=d_paused line=@alloc count=1 bytes=512
// EXPECT-ALL
// EXPECT-NO: ignored-error
// EXPECT-SITE: line=@before via=@set calls=1
// EXPECT-SITE: line=@after via=@set calls=1
// EXPECT-NO-SITE: via=@set calls>=2
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

static void clear(void *d_data) {
  CHECK(cudaMemset(d_data, 0, 256)); // @set
}

int main() {
  void *d_data, *d_paused;
  CHECK(cudaMalloc(&d_data, 256));
  clear(d_data); // @before
  gpuinstr_pause();
  for (int i = 0; i < 5; ++i)
    clear(d_data);
  cudaMemset(nullptr, 0, 16);
  CHECK(cudaMalloc(&d_paused, 512)); // @alloc
  gpuinstr_resume();
  clear(d_data); // @after
  CHECK(cudaFree(d_data));
  if (cudaGetLastError() != cudaSuccess)
    puts("done");
}
