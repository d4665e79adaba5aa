// capture=nvtx@NAME: counted inside that range, however deep, on all threads.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: capture=nvtx@solve
// FLAGS: -pthread -I%gpuinstr
// EXPECT-CLEAN
// EXPECT-NO-SITE: line=@before calls>=1
// EXPECT-NO-SITE: line=@other calls>=1
// EXPECT-SITE: line=@inside calls=3
// EXPECT-SITE: line=@deeper calls=1
// EXPECT-SITE: line=@thread calls=1
// EXPECT-NO-SITE: line=@after calls>=1
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>
#include <thread>

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  CHECK(cudaMemset(d_field, 0, 512)); // @before
  gpuinstr_push_range("setup");
  CHECK(cudaMemset(d_field, 0, 512)); // @other
  gpuinstr_push_range("solve");
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @inside
  gpuinstr_push_range("step");
  gpuinstr_push_range("solve");
  gpuinstr_pop_range();
  CHECK(cudaMemset(d_field, 0, 512)); // @deeper
  gpuinstr_pop_range();
  std::thread([&] {
    CHECK(cudaMemset(d_field, 0, 512)); // @thread
  }).join();
  gpuinstr_pop_range();
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @after
  gpuinstr_pop_range();
  CHECK(cudaFree(d_field));
  puts("done");
}
