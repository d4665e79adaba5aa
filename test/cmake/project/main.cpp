// The C++ part: leaks the buffer.
// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

void compute();

int main() {
  Buffer<float> kept(256);
  compute();
  (void)!cudaDeviceSynchronize();
  return kept.data ? 0 : 1;
}
