// Uploads out of ordinary memory are taken over when their calls are back, also the asynchronous ones: the host may
// change the source at once, and with them in front a wait before the next copy or launch is as needless as without.
// Not so on a GPU that reads ordinary memory by itself: there none is told.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: simulator
// TWIN: FIXED
// EXPECT: needless-sync advice function=fetched line=@fetch count=5 related=@download
// EXPECT: needless-sync advice function=stepped line=@step count=5
// EXPECT: needless-sync advice function=inTurn line=@turn count>=30
// EXPECT: needless-sync advice function=freed line=@free count=4
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaStreamSynchronize(nullptr))
#endif

static void upload(float *d_x, const float *x, int n = N) {
  CHECK(cudaMemcpyAsync(d_x, x, 4 * n, cudaMemcpyHostToDevice, nullptr));
}

/// The wait is between the upload's kernel and a download.
static void fetched(float *d_x, std::vector<float> &x) {
  for (int i = 0; i < 5; ++i) {
    x[0] = float(i);
    CHECK(cudaMemcpyAsync(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice, nullptr));
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaGetLastError());
    WAIT();                                                                          // @fetch
    CHECK(cudaMemcpyAsync(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost, nullptr)); // @download
    CHECK(cudaStreamSynchronize(nullptr));
    printf("%08x\n", checksum(x));
  }
}

/// ... between the upload and the kernel. The host changes what was sent before the device has it.
static void stepped(float *d_x, std::vector<float> &x) {
  for (int i = 0; i < 5; ++i) {
    upload(d_x, x.data());
    WAIT(); // @step
    x[0] = float(i);
    step<<<N / 256, 256>>>(d_x, 0.75f);
  }
}

/// Few bytes, out of a variable, over and over: most calls are those that were met before.
static void inTurn(float *d_x) {
  for (int i = 0; i < 40; ++i) {
    float by[4] = {float(i), 1, 2, 3};
    upload(d_x, by, 4);
    WAIT(); // @turn
    step<<<N / 256, 256>>>(d_x, 0.5f);
  }
}

static void freed(const std::vector<float> &x) {
  for (int i = 0; i < 4; ++i) {
    float *d_y;
    CHECK(cudaMalloc(&d_y, 4 * N));
    upload(d_y, x.data());
    step<<<N / 256, 256>>>(d_y, 0.5f);
    WAIT(); // @free
    CHECK(cudaFree(d_y));
  }
}

int main() {
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  std::vector<float> x = noise(N);
  fetched(d_x, x);
  stepped(d_x, x);
  inTurn(d_x);
  freed(x);
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
