// Nothing found: a short report that says so.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-REPORT: RESULT*clean
// EXPECT-REPORT: SUMMARY: gpuinstr:
// EXPECT-NO-REPORT: leak
// EXPECT-NO-REPORT: BUGS
#include "../Inputs/check.h"

int main() {
  void *d_data;
  CHECK(cudaMalloc(&d_data, 1024));
  CHECK(cudaMemset(d_data, 0, 1024));
  CHECK(cudaFree(d_data));
  puts("done");
}
