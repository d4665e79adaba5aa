// Each round opens a plugin without instrumentation, waits for what it computes, and closes it: it
// is nowhere to be seen when the host sends the next input.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN-PLAIN: libplugin.so Inputs/plugin.cu
// OPTIONS: audit=sampled budget=100
// EXPECT-NO: * proven
// EXPECT-NO: unused-allocation
// EXPECT-NO: dead-copy
// EXPECT-NO: needless-sync
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/plugin.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

constexpr int N = 1 << 14;
constexpr size_t Bytes = N * sizeof(float);

static bool compute(const Job &job) {
  void *plugin = dlopen("libplugin.so", RTLD_NOW | RTLD_LOCAL);
  void *found = plugin ? dlsym(plugin, "run") : nullptr;
  const bool good = found && reinterpret_cast<bool (*)(const Job *, unsigned)>(found)(&job, N / 256);
  CHECK(cudaDeviceSynchronize());
  return good && !dlclose(plugin);
}

int main() {
  float *d_in;
  Job job = {};
  const std::vector<float> flags(N, 0.5f);
  std::vector<float> out(N);
  unsigned sum = 0;
  CHECK(cudaMalloc(&d_in, Bytes));
  CHECK(cudaMalloc(&job.flags, Bytes));
  CHECK(cudaMalloc(&job.scratch, Bytes));
  CHECK(cudaMalloc(&job.out, Bytes));
  job.in = d_in;
  for (int round = 0; round < 60; ++round) {
    const std::vector<float> in = noise(N, round);
    CHECK(cudaMemcpy(d_in, in.data(), Bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(job.flags, flags.data(), Bytes, cudaMemcpyHostToDevice));
    job.raises = round == 41 || round == 47;
    if (!compute(job))
      return 1;
    CHECK(cudaMemcpy(out.data(), job.out, Bytes, cudaMemcpyDeviceToHost));
    sum += checksum(out);
  }
  printf("%08x\n", sum);
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(job.flags));
  CHECK(cudaFree(job.scratch));
  CHECK(cudaFree(job.out));
}
