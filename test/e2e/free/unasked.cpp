// Nobody asks for the error of a free that cannot be right: one bug, not two. What fails for another
// reason is still told.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: invalid-free proven line=@interior count=1 error=cudaErrorInvalidValue
// EXPECT: double-free proven line=@twice count=1
// EXPECT: ignored-error proven line=@null count=1
// EXPECT-ALL
// EXPECT-CLEAN[twin]
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  char *d_data, *d_other;
  CHECK(cudaMalloc(&d_data, 4096));
  CHECK(cudaMalloc(&d_other, 4096));
#ifndef FIXED
  cudaFree(d_data + 1024); // @interior
#endif
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_other));
#ifndef FIXED
  cudaFree(d_other);               // @twice
  cudaMemset(nullptr, 0, 4096);    // @null
#endif
  printf("done\n");
}
