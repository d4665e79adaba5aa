// Files that are there already are never overwritten: the pid is added.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: report=%t/report.txt json=%t/profile.json
// TAKEN: profile.json
// TAKEN: report.txt
// EXPECT-FILE: profile.json.%p
// EXPECT-FILE: report.txt.%p
// EXPECT-PROFILES: 1
// EXPECT: leak proven variable=d_lost
// EXPECT-REPORT: leak *d_lost
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
