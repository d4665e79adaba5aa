// The runtime cannot be found: the program runs as the plain one.
// SPDX-License-Identifier: Apache-2.0
// ENV: GPUINSTR_RUNTIME=/nonexistent/libgpuinstr_rt.so
// EXPECT-PROFILES: 0
// EXPECT-STDERR: gpuinstr: *libgpuinstr_rt.so
// EXPECT-STDOUT: done
// EXPECT-EXIT: 0
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
