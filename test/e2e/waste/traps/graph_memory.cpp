// Memory that a graph allocates anew with each launch, and that copies outside of the graph fill and read before it is
// freed: no copy is dead, and none is for nothing.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: dead-copy
// EXPECT-NO: noop-copy
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr size_t Floats = 1 << 16, Bytes = 4 * Floats;
constexpr int Rounds = 8;

static void use(void *d, int round, cudaStream_t stream) {
  const std::vector<float> table = noise(Floats);
  std::vector<float> out(Floats);
  CHECK(cudaMemcpyAsync(d, table.data(), Bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(out.data(), d, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out));
  CHECK(cudaMemsetAsync(d, round, Bytes, stream));
  CHECK(cudaMemcpyAsync(out.data(), d, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out));
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  cudaGraph_t byHand, captured;
  CHECK(cudaGraphCreate(&byHand, 0));
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = Bytes;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddMemAllocNode(&node, byHand, nullptr, 0, &params));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void *d;
  CHECK(cudaMallocAsync(&d, Bytes, stream));
  CHECK(cudaStreamEndCapture(stream, &captured));

  cudaGraphExec_t exec[2];
  CHECK(cudaGraphInstantiate(&exec[0], byHand, 0));
  CHECK(cudaGraphInstantiate(&exec[1], captured, 0));
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaGraphLaunch(exec[0], stream));
    use(params.dptr, round, stream);
    CHECK(cudaFreeAsync(params.dptr, stream));
    CHECK(cudaGraphLaunch(exec[1], stream));
    use(d, round, stream);
    CHECK(cudaFreeAsync(d, stream));
  }
  for (cudaGraphExec_t one : exec)
    CHECK(cudaGraphExecDestroy(one));
  CHECK(cudaGraphDestroy(byHand));
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaStreamDestroy(stream));
}
