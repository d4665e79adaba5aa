// Allocations and uploads through wrappers that an optimising compiler inlines; with an argument
// the twin, which uses and frees what it allocates, and sends other bytes each time.
// SPDX-License-Identifier: Apache-2.0
#include "wrapped.h"
#include <vector>

// As nvcc makes them of a kernel and of scale<<<...>>>(memory), with another call in place of the
// launch.
__attribute__((section(".nv_fatbin"), used)) static const char fatbin[8] = "fatbin";
static void __device_stub__Z5scalePf(float *) { cuCtxSynchronize(); }
void scale(float *memory) { __device_stub__Z5scalePf(memory); }

namespace {

inline float *makeFloats(size_t count) {
  float *floats = nullptr;
  CUDA_CHECK(cudaMalloc(&floats, count * sizeof(float))); // WRAPPER
  return floats;
}

struct Upload {
  Upload(float *to, const std::vector<float> &from) {
    CUdeviceptr d_to = (CUdeviceptr)to;
    CUDA_CHECK(cuMemcpyHtoD(d_to, from.data(), from.size() * sizeof(float))); // UPLOAD
  }
};

/// A program's own, whatever it is called: no part of CUDA.
int cudaSafeCall(float first) {
  CUdeviceptr d_safe = 0;
  CUDA_CHECK(cuMemAlloc(&d_safe, sizeof first)); // SAFE
  CUDA_CHECK(cuMemcpyHtoD(d_safe, &first, sizeof first));
  CUDA_CHECK(cuMemcpyDtoH(&first, d_safe, sizeof first));
  CUDA_CHECK(cuMemFree(d_safe));
  return int(first);
}

} // namespace

int main(int argc, char **) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);

  double *direct = nullptr;
  CUDA_CHECK(cudaMalloc(&direct, 512)); // DIRECT
  int *named = nullptr;
  CUDA_CHECK(own::cudaMalloc(&named, 256)); // NAMED
  float *wrapped = makeFloats(4096);        // WRAPPED
  scale(wrapped);                           // LAUNCH
  std::vector<float> values(4096);
  for (int step = 0; step < 5; ++step) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(argc > 1 ? i + size_t(step) : i);
    Upload(wrapped, values); // SENT
    if (argc > 1) {
      float first = 0;
      CUDA_CHECK(cuMemcpyDtoH(&first, (CUdeviceptr)wrapped, sizeof first));
    }
  }
  if (argc > 1) {
    char zeros[512];
    for (CUdeviceptr memory : {(CUdeviceptr)direct, (CUdeviceptr)named}) {
      CUDA_CHECK(cuMemsetD8(memory, 0, 256));
      CUDA_CHECK(cuMemcpyDtoH(zeros, memory, 256));
      CUDA_CHECK(cuMemFree(memory));
    }
    CUDA_CHECK(cuMemFree((CUdeviceptr)wrapped));
  }
  return cudaSafeCall(float(argc)) ? 0 : 1; // RETURN
}
