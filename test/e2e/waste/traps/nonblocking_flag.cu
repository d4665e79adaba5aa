// The host lowers a flag with a blocking copy; at once a kernel of a non-blocking stream raises it
// again. Any look at the flag after the copy would see 1 and call the next lowering needed or not.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: noop-copy line=@lower
// EXPECT-STDOUT: raised 40 times
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__host__ __device__ inline void raiseAt(unsigned i, int *flag) {
  if (i == 0)
    *flag = 1;
}
__global__ void raise(int *flag) { raiseAt(globalThread(), flag); }
SIMULATED(raise, raiseAt)

int main() {
  cudaStream_t stream;
  int *d_flag, raised = 0;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_flag, 4));
  for (int round = 0; round < 40; ++round) {
    int flag = 0;
    CHECK(cudaMemcpy(d_flag, &flag, 4, cudaMemcpyHostToDevice)); // @lower
    raise<<<1, 32, 0, stream>>>(d_flag);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&flag, d_flag, 4, cudaMemcpyDeviceToHost));
    raised += flag;
  }
  printf("raised %d times\n", raised);
  CHECK(cudaFree(d_flag));
  CHECK(cudaStreamDestroy(stream));
}
