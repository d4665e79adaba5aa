// Leaks of vendor handles fail a run only where likely leaks are asked for.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// SHARED-PLAIN: libvendor.so Inputs/vendor.cpp
// OPTIONS: fail_on='leak:likely'
// EXPECT: leak likely memory=cusparse-handle variable=sparse line=@sparse count=1
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
#include "../Inputs/check.h"
#include "Inputs/vendor.h"

int main() {
  void *d_x;
  CHECK(cudaMalloc(&d_x, 4096));
  CHECK(cudaFree(d_x));
  cusparseHandle_t sparse;
  int status = cusparseCreate(&sparse); // @sparse
#ifdef FIXED
  status |= cusparseDestroy(sparse);
#endif
  printf("done %d\n", status);
}
