// Mapped memory: the same upload again and again, and each time something else writes there: a set of all or a part, a
// copy within the device, an upload that begins further on. No copy is for nothing but those of the last loop.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT: noop-copy likely line=@again
// EXPECT-NO: noop-copy line=@set
// EXPECT-NO: noop-copy line=@part
// EXPECT-NO: noop-copy line=@device
// EXPECT-NO: noop-copy line=@further
// EXPECT-NO: dead-copy
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include "Inputs/physical.h"

#include <cuda_runtime.h>

constexpr size_t Floats = 1 << 16, Bytes = 4 * Floats, Piece = 4096;
constexpr int Rounds = 8;

int main() {
  const std::vector<float> table = noise(Floats);
  std::vector<float> out(Floats);
  char *other;
  CHECK(cudaMalloc(&other, Bytes));
  CHECK(cudaMemcpy(other, table.data() + Piece / 4, Bytes - Piece, cudaMemcpyHostToDevice));
  const Physical memory;
  const CUdeviceptr place = memory.reserve();
  memory.map(place);
  char *d = reinterpret_cast<char *>(place);
  auto show = [&] {
    CHECK(cudaMemcpy(out.data(), d, Bytes, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
  };
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d, table.data(), Bytes, cudaMemcpyHostToDevice)); // @set
    show();
    CHECK(cudaMemset(d, i, Bytes));
    show();
  }
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d, table.data(), Bytes, cudaMemcpyHostToDevice)); // @part
    show();
    OK(cuMemsetD8(place + Piece, uint8_t(i), Piece));
    show();
  }
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d, table.data(), Bytes, cudaMemcpyHostToDevice)); // @device
    show();
    CHECK(cudaMemcpy(d, other, Bytes, cudaMemcpyDeviceToDevice));
    show();
  }
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d, table.data(), Bytes, cudaMemcpyHostToDevice)); // @further
    show();
    CHECK(cudaMemcpy(d + Piece, table.data() + i, Piece, cudaMemcpyHostToDevice));
    show();
  }
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d, table.data(), Bytes, cudaMemcpyHostToDevice)); // @again
    show();
  }
  OK(cuMemUnmap(place, memory.bytes));
  OK(cuMemAddressFree(place, memory.bytes));
  memory.release();
  CHECK(cudaFree(other));
}
