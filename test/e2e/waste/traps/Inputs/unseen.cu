// A device function that other units only see declared; it writes through its const pointer.
// SPDX-License-Identifier: Apache-2.0
__device__ float unseen(const float *table, unsigned i, float threshold) {
  if (table[i] > threshold)
    const_cast<float *>(table)[i] = 0;
  return table[i];
}
