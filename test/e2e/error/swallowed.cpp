// cudaGetLastError whose own result is discarded has not asked; one error after another.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: ignored-error proven line=@first count=1 error=cudaErrorInvalidValue
// EXPECT-ALL
// EXPECT-STDOUT: last cudaErrorInvalidValue
#include "../Inputs/check.h"

int main() {
  char host[16] = "";
  cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice); // @first
  cudaGetLastError();
  cudaMemcpy(nullptr, host, 8, cudaMemcpyHostToDevice);
  printf("last %s\n", cudaGetErrorName(cudaGetLastError()));
}
