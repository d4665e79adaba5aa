// Trap: memory that no call names by its start, but by an offset, in a struct, in a table.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// WITH-PLAIN: Inputs/foreign.cpp
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include "Inputs/foreign.h"

struct View {
  int n;
  float *data;
};

__host__ __device__ inline void fillAt(unsigned i, View view, float *const *table, float *out) {
  if (i >= unsigned(view.n))
    return;
  view.data[i] = float(i);
  table[1][i] = float(2 * i);
  out[i] = table[0][i] + 1;
}
__global__ void fill(View view, float *const *table, float *out) {
  fillAt(globalThread(), view, table, out);
}
SIMULATED(fill, fillAt)

int main() {
  float *d_padded, *d_view, *d_entries[2], **d_table, out[256];
  CHECK(cudaMalloc(&d_padded, 4096));
  CHECK(cudaMalloc(&d_view, 4096));
  CHECK(cudaMalloc(&d_entries[0], 4096));
  CHECK(cudaMalloc(&d_entries[1], 4096));
  CHECK(cudaMalloc(&d_table, sizeof(d_entries)));
  foreignClear(d_entries[0], 4096);
  CHECK(cudaMemcpy(d_table, d_entries, sizeof(d_entries), cudaMemcpyHostToDevice));
  fill<<<1, 256>>>(View{256, d_view}, d_table, d_padded + 64);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, d_padded + 64, 1024, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out, 1024));
  for (void *p : {(void *)d_padded, (void *)d_view, (void *)d_entries[0], (void *)d_entries[1],
                  (void *)d_table})
    CHECK(cudaFree(p));
}
