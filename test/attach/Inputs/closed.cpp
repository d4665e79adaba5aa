// A program on the driver API that knows nothing of gpuinstr.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

static CUdeviceptr hold(size_t bytes) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, bytes); // LEAK
  return memory;
}

static void upload(CUdeviceptr to, const std::vector<float> &weights) {
  cuMemcpyHtoD(to, weights.data(), weights.size() * sizeof(float)); // UPLOAD
}

int main(int argc, char **) {
  cuInit(0);
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  std::vector<float> weights(1 << 16);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = float(i);
  CUdeviceptr lost = hold(4096); // LOST
  CUdeviceptr d_weights = 0;
  cuMemAlloc(&d_weights, weights.size() * sizeof(float)); // KEPT
  for (int i = 0; i < 5; ++i) {
    if (argc > 1) // the twin: new bytes each time
      for (float &w : weights)
        w += 1;
    upload(d_weights, weights); // SENT
    float first[2];
    if (argc > 1)
      cuMemcpyDtoH(first, d_weights, sizeof first);
  }
  cuMemFree(d_weights);
  if (argc > 1) {
    float zeros[1024];
    cuMemsetD8(lost, 0, sizeof zeros);
    cuMemcpyDtoH(zeros, lost, sizeof zeros);
    cuMemFree(lost);
  }
  std::puts("done");
  return 7;
}
