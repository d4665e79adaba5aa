// Physical memory that is unmapped and mapped at another address: it still holds what was sent.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: dead-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include "Inputs/physical.h"

#include <cuda_runtime.h>

int main() {
  CHECK(cudaFree(nullptr));
  const Physical memory;
  const CUdeviceptr at[2] = {memory.reserve(), memory.reserve()};
  std::vector<float> table = noise(1024), out(1024);
  int right = 0;
  for (int round = 0; round < 20; ++round) {
    table[0] = float(round);
    memory.map(at[0]);
    OK(cuMemcpyHtoD(at[0], table.data(), 4096));
    OK(cuMemUnmap(at[0], memory.bytes));
    memory.map(at[1]);
    OK(cuMemcpyDtoH(out.data(), at[1], 4096));
    OK(cuMemUnmap(at[1], memory.bytes));
    right += out == table;
  }
  printf("%d\n", right);
  for (CUdeviceptr address : at)
    OK(cuMemAddressFree(address, memory.bytes));
  memory.release();
}
