// Physical memory that is mapped at two addresses: a set through one changes what lies at the other.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include "Inputs/physical.h"

#include <cuda_runtime.h>

int main() {
  CHECK(cudaFree(nullptr));
  const Physical memory;
  const CUdeviceptr at[2] = {memory.reserve(), memory.reserve()};
  for (CUdeviceptr address : at)
    memory.map(address);
  std::vector<float> table = noise(1024), out(60);
  for (int round = 0; round < 60; ++round) {
    OK(cuMemcpyHtoD(at[0], table.data(), 4096));
    if (round >= 30)
      OK(cuMemsetD8(at[1] + round, 7, 100));
    OK(cuMemcpyDtoH(&out[round], at[0] + 4 * round, 4));
  }
  printf("%d\n", out[0] == table[0]);
  for (CUdeviceptr address : at) {
    OK(cuMemUnmap(address, memory.bytes));
    OK(cuMemAddressFree(address, memory.bytes));
  }
  memory.release();
}
