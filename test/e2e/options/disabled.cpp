// enabled=0: as if never instrumented.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: enabled=0 json=%t/profile.json report=%t/report.txt fail_on=bugs
// EXPECT-SILENT
// EXPECT-NO-FILE: profile.json
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
