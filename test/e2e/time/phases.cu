// Ranges of the program as a table: gpuinstr_push_range and NVTX, one inside the other. What the host
// does while the device has nothing to do belongs to the range in which it passes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -I%gpuinstr -ldl
// EXPECT-CLEAN
// EXPECT-REPORT: PHASES *
// EXPECT-REPORT: * 1 * epoch
// EXPECT-REPORT: * 20 * prepare
// EXPECT-REPORT: * 20 * step
// EXPECT-REPORT: * 1 * attributes
// EXPECT-REPORT: * 1 * unnamed range
// EXPECT-NO-REPORT: * never closed
#include "../Inputs/check.h"
#include <cuda_runtime.h>
#include <gpuinstr/gpuinstr.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

__global__ void add(int *x, int y) { x[threadIdx.x] += y; }

int main() {
  int *d_data, data[64] = {};
  CHECK(cudaMalloc(&d_data, sizeof data));
  gpuinstr_push_range("never closed");
  gpuinstr_push_range("epoch");
  for (int i = 0; i < 20; ++i) {
    nvtxRangePushA("prepare");
    usleep(3000); // the device waits from the second time on
    data[i] = i;
    nvtxRangePop();
    nvtxRangePushA("step");
    CHECK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice));
    add<<<1, 64>>>(d_data, i);
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();
  }
  gpuinstr_pop_range();
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "attributes";
  nvtxRangePushEx(&attributes);
  nvtxRangePop();
  nvtxRangePushW(L"wide");
  nvtxRangePop();
  nvtxRangePop(); // once too often
  CHECK(cudaFree(d_data));
}
