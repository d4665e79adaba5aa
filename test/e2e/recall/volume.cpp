// A density volume in cudaMalloc3D memory goes up before each projection, unchanged.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@volume count>=8
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t Edge = 50, Views = 12;
  std::vector<float> volume = noise(Edge * Edge * Edge), row(Edge);
  cudaPitchedPtr device;
  uint32_t sum = 0;
  CHECK(cudaMalloc3D(&device, make_cudaExtent(Edge * 4, Edge, Edge)));
  for (size_t view = 0; view < Views; ++view) {
    cudaMemcpy3DParms up = {};
    up.srcPtr = make_cudaPitchedPtr(volume.data(), Edge * 4, Edge, Edge);
    up.dstPtr = device;
    up.extent = make_cudaExtent(Edge * 4, Edge, Edge);
    up.kind = cudaMemcpyHostToDevice;
#ifdef FIXED
    if (view == 0)
#endif
      CHECK(cudaMemcpy3D(&up)); // @volume
    CHECK(cudaMemcpy(row.data(), static_cast<char *>(device.ptr) + view * device.pitch, Edge * 4,
                     cudaMemcpyDeviceToHost));
    sum += checksum(row);
  }
  printf("%08x\n", sum);
  CHECK(cudaFree(device.ptr));
}
