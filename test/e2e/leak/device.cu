// A training step that never frees its temporary.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-debug nvcc nvcc19 nvcc-debug
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_tmp type=float function=Trainer::step line=@leak count=1 bytes=4194304 elements=1048576
// EXPECT-ALL
// EXPECT-TOTAL: memory=device count=1 bytes=4194304
// EXPECT-REPORT: leak *4.19 MB*x1*d_tmp*float[1048576]*device.cu:{@leak}*Trainer::step
// EXPECT-REPORT: SUMMARY: gpuinstr: 1 leak
// EXPECT-SITE: kind=launch callee=scale line=@launch calls=1 function=Trainer::step
// EXPECT-SITE: kind=alloc callee=cudaMalloc* line=@trainer via=@weights calls=1 bytes=4194304 variable=trainer
// EXPECT-SITE: kind=copy callee=cudaMemcpy line=@trainer via=@upload calls=1 bytes=4194304 arguments=*cudaMemcpyHostToDevice*
// EXPECT-DEVICE: peak_bytes=8388608
// EXPECT-PEAK: variable=d_tmp memory=device bytes=4194304 count=1
// EXPECT-PROCESS: ended=exit exit_code=0
// EXPECT-STDOUT[both]: trained
// EXPECT-SITE[twin]: kind=free callee=cudaFree line=@again calls=1
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  if (cudaError_t e = (call)) {                                                                    \
    std::printf("%s: %s\n", #call, cudaGetErrorString(e));                                         \
    std::exit(1);                                                                                  \
  }

__global__ void scale(float *out, const float *in, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = factor * in[i];
}

class Trainer {
public:
  explicit Trainer(const std::vector<float> &weights) : n(int(weights.size())) {
    CHECK(cudaMalloc(&d_weights, n * sizeof(float))); // @weights
    CHECK(cudaMemcpy(d_weights, weights.data(), n * sizeof(float), cudaMemcpyHostToDevice)); // @upload
  }
  ~Trainer() { release(d_weights); }

  void step() {
    float *d_tmp = nullptr;
    CHECK(cudaMalloc(&d_tmp, n * sizeof(float))); // @leak
    scale<<<(n + 255) / 256, 256>>>(d_tmp, d_weights, 0.5f, n); // @launch
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
#ifdef FIXED
    release(d_tmp); // @again
#endif
  }

private:
  void release(float *pointer) { CHECK(cudaFree(pointer)); }

  int n;
  float *d_weights = nullptr;
};

int main() {
  Trainer trainer(std::vector<float>(1 << 20, 1.0f)); // @trainer
  trainer.step();
  std::printf("trained\n");
  return 0;
}
