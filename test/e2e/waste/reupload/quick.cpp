// In a quick loop few uploads can be looked at; the finding says how often the line did it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT: reupload proven line=@upload variable=d_weights count=1999 bytes=131006464
// EXPECT-NO: reupload line=@changes
#include "../../Inputs/check.h"

#include <cuda_runtime.h>

constexpr size_t Bytes = 1 << 16;
static char same[Bytes], changing[Bytes];

int main() {
  for (size_t i = 0; i < Bytes; ++i)
    same[i] = char(i * 7);
  for (int i = 0; i < 2000; ++i) {
    void *d_weights, *d_other;
    CHECK(cudaMalloc(&d_weights, Bytes));
    CHECK(cudaMemcpy(d_weights, same, Bytes, cudaMemcpyHostToDevice)); // @upload
    CHECK(cudaMalloc(&d_other, Bytes));
    changing[i] = char(i + 1);
    CHECK(cudaMemcpy(d_other, changing, Bytes, cudaMemcpyHostToDevice)); // @changes
    CHECK(cudaFree(d_other));
    CHECK(cudaFree(d_weights));
  }
  puts("done");
}
