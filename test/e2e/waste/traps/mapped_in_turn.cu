// Two pieces of physical memory are mapped at one address in turn. A kernel changes what each gets,
// so the host must bring it back. What only is read need not be sent again.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: reupload line=@restored
// EXPECT-NO: noop-copy line=@restored
// EXPECT: reupload likely function=main line=@constant count>=10
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include "Inputs/physical.h"

constexpr int N = 1 << 15;

__host__ __device__ inline void addAt(unsigned i, float *to, const float *from) {
  to[i] += from[i];
}
__global__ void add(float *to, const float *from) { addAt(globalThread(), to, from); }
SIMULATED(add, addAt)

int main() {
  CHECK(cudaFree(nullptr));
  const Physical states[2], steps[2];
  const CUdeviceptr state = states[0].reserve(), step = steps[0].reserve();
  float *d_state = reinterpret_cast<float *>(state), *d_step = reinterpret_cast<float *>(step);
  const std::vector<float> starts[2] = {noise(N, 1), noise(N, 2)};
  const std::vector<float> changes[2] = {noise(N, 3), noise(N, 4)};
  std::vector<float> out(N);
  unsigned sum = 0;
  for (int round = 0; round < 20; ++round) {
    const int one = round % 2;
    states[one].map(state);
    steps[one].map(step);
    CHECK(cudaMemcpy(d_state, starts[one].data(), 4 * N, cudaMemcpyHostToDevice)); // @restored
    CHECK(cudaMemcpy(d_step, changes[one].data(), 4 * N, cudaMemcpyHostToDevice)); // @constant
    add<<<N / 256, 256>>>(d_state, d_step);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_state, 4 * N, cudaMemcpyDeviceToHost));
    sum += checksum(out);
    OK(cuMemUnmap(state, states[one].bytes));
    OK(cuMemUnmap(step, steps[one].bytes));
  }
  printf("%08x\n", sum);
  OK(cuMemAddressFree(state, states[0].bytes));
  OK(cuMemAddressFree(step, steps[0].bytes));
  for (const Physical &memory : states)
    memory.release();
  for (const Physical &memory : steps)
    memory.release();
}
