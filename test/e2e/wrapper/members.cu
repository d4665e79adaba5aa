// Copies between members of an object, and from one to what the user gives: both sides have the
// names that they have where the object is used.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@up variable=pressure.device count=4
// EXPECT: noop-copy proven function=main line=@down variable=out.data() count=4
// EXPECT: noop-copy proven function=main line=@fetch variable=out.data() count=5
// EXPECT-REPORT: noop-copy *pressure.device <- pressure.host*H2D*members.cu:{@up}*
// EXPECT-REPORT: noop-copy *out.data() <- pressure.device D2H*members.cu:{@down}*
// EXPECT-REPORT: noop-copy *out.data() <- pressure.device D2H*members.cu:{@fetch}*
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 12;

inline void fetch(float *to, const float *from) {
  CHECK(cudaMemcpy(to, from, 4 * N, cudaMemcpyDeviceToHost));
}

class Field {
public:
  Field() : host(noise(N)) { CHECK(cudaMalloc(&device, 4 * N)); }
  ~Field() { CHECK(cudaFree(device)); }
  void upload() { CHECK(cudaMemcpy(device, host.data(), 4 * N, cudaMemcpyHostToDevice)); }
  void download(float *to) { CHECK(cudaMemcpy(to, device, 4 * N, cudaMemcpyDeviceToHost)); }
  void fetchInto(float *to) { fetch(to, device); }

private:
  float *device = nullptr;
  std::vector<float> host;
};

#ifdef FIXED
constexpr int Rounds = 1;
#else
constexpr int Rounds = 5;
#endif

int main() {
  Field pressure;
  std::vector<float> out(N);
  for (int round = 0; round < Rounds; ++round)
    pressure.upload(); // @up
  for (int round = 0; round < Rounds; ++round) {
    out[0] += Rounds == 1;
    pressure.download(out.data()); // @down
  }
#ifndef FIXED
  for (int round = 0; round < Rounds; ++round)
    pressure.fetchInto(out.data()); // @fetch
#endif
  printf("%08x\n", checksum(out));
}
