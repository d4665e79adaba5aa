// Host functions and stream callbacks run between copies, on a thread of CUDA's own.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-STDOUT: 4 functions, 4 callbacks
// EXPECT-SITE: callee=cudaLaunchHostFunc line=@function calls=4
// EXPECT-SITE: callee=cudaStreamAddCallback line=@callback calls=4
#include "../Inputs/check.h"

#include <atomic>

static std::atomic<int> functions, callbacks;
static void onHost(void *) { ++functions; }
static void CUDART_CB onStream(cudaStream_t, cudaError_t status, void *) {
  callbacks += status == cudaSuccess;
}

int main() {
  cudaStream_t stream;
  void *d_data;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_data, 1024));
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMemsetAsync(d_data, i, 1024, stream));
    CHECK(cudaLaunchHostFunc(stream, onHost, nullptr)); // @function
    CHECK(cudaStreamAddCallback(stream, onStream, nullptr, 0)); // @callback
  }
  CHECK(cudaStreamSynchronize(stream));
  printf("%d functions, %d callbacks\n", functions.load(), callbacks.load());
  CHECK(cudaFree(d_data));
  CHECK(cudaStreamDestroy(stream));
}
