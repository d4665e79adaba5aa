// Discarded results of failing calls, asked for later: not ignored.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: ignored-error
// EXPECT-SITE: kind=copy line=@copy calls=2 failed=2
// EXPECT-STDOUT: peeked cudaErrorInvalidValue
// EXPECT-STDOUT: got cudaErrorInvalidValue
// EXPECT-STDOUT: then cudaSuccess
#include "../Inputs/check.h"

int main() {
  char host[16] = "";
  for (int i = 0; i < 2; ++i) {
    cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice); // @copy
    if (i == 0)
      printf("peeked %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("got %s\n", cudaGetErrorName(cudaGetLastError()));
  }
  printf("then %s\n", cudaGetErrorName(cudaGetLastError()));
}
