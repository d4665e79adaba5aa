// Relocatable device code: two units, one of which allocates for the other.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-rdc nvcc-rdc
// WITH: Inputs/field.cu
// TWIN: FIXED
// EXPECT: leak proven memory=device type=float variable=now.data function=main line=@caller via=@Inputs/field.cu:alloc via-function=Field::allocate count=1 bytes=8192
// EXPECT-ALL
// EXPECT-SITE: kind=launch callee=step line=@launch calls=2
#include "Inputs/field.h"

#include <cstdio>

__global__ void step(float *field, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    field[i] = damp(field[i], 0.5f);
}

int main() {
  Field old, now;
  if (!old.allocate(1024) || !now.allocate(2048)) // @caller
    return 1;
  for (Field *f : {&old, &now})
    step<<<(f->size + 127) / 128, 128>>>(f->data, f->size); // @launch
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess)
    return 2;
  old.release();
#ifdef FIXED
  now.release();
#endif
  std::puts("done");
}
