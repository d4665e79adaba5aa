// report_now in the middle, ranges around it: one profile in the end, the last one.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -I%gpuinstr
// TWIN: FIXED
// EXPECT-PROFILES: 1
// EXPECT: leak proven variable=d_late line=@leak count=1
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit
// EXPECT-SITE: kind=set line=@set calls=2
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

int main() {
  gpuinstr_push_range("training");
  void *d_live, *d_late;
  CHECK(cudaMalloc(&d_live, 256));
  for (int i = 0; i < 2; ++i) {
    gpuinstr_push_range("epoch");
    CHECK(cudaMemset(d_live, i, 256)); // @set
    gpuinstr_report_now();
    gpuinstr_pop_range();
  }
  gpuinstr_pop_range();
  gpuinstr_pop_range(); // one too many
  CHECK(cudaFree(d_live));
  CHECK(cudaMalloc(&d_late, 128)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_late));
#endif
  puts("done");
}
