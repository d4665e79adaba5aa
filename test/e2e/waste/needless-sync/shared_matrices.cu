// Each layer's step ends with a wait, and gives on a matrix whose memory is counted: between it and
// the next layer's launch, in another file, only counts of std::shared_ptr change. Silent: where a
// clock is read between, also by an object that goes with its last std::shared_ptr.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/matrices.cu
// TWIN: FIXED
// EXPECT: needless-sync advice line=@Inputs/matrices.cu:scale count>=8
// EXPECT: needless-sync advice line=@Inputs/matrices.cu:shift count>=8
// EXPECT-NO: needless-sync line=@Inputs/matrices.cu:tune
// EXPECT-NO: needless-sync line=@Inputs/matrices.cu:stamp
// EXPECT-NO[twin]: needless-sync line=@Inputs/matrices.cu:scale
// EXPECT-NO[twin]: needless-sync line=@Inputs/matrices.cu:shift
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/matrices.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <time.h>

constexpr int N = 1 << 12;

static Matrix forward(const std::vector<std::unique_ptr<Stage>> &stages, Matrix from) {
  Matrix x = from;
  for (int round = 0; round < 10; ++round)
    for (const std::unique_ptr<Stage> &stage : stages)
      x = stage->forward(x);
  return x;
}

static double tuned(const std::vector<std::unique_ptr<Stage>> &stages, Matrix x) {
  double slowest = 0;
  for (int round = 0; round < 10; ++round)
    for (const std::unique_ptr<Stage> &stage : stages) {
      double start = double(clock());
      x = stage->tune(x);
      slowest = std::max(slowest, double(clock()) - start);
    }
  return slowest;
}

struct Stamp {
  clock_t *last;
  ~Stamp() { *last = clock(); }
};

static clock_t stamped(const std::vector<std::unique_ptr<Stage>> &stages, Matrix x) {
  clock_t last = 0;
  for (int round = 0; round < 10; ++round)
    for (const std::unique_ptr<Stage> &stage : stages) {
      std::shared_ptr<Stamp> stamp(new Stamp{&last});
      x = stage->stamp(x);
    }
  return last;
}

int main() {
  std::vector<float> x = noise(N);
  std::vector<std::unique_ptr<Stage>> stages;
  stages.push_back(makeScale());
  stages.push_back(makeShift());
  Matrix from(N);
  CHECK(cudaMemcpy(from.data.get(), x.data(), 4 * N, cudaMemcpyHostToDevice));
  Matrix to = forward(stages, from);
  const double slowest = tuned(stages, from);
  const clock_t last = stamped(stages, from);
  CHECK(cudaMemcpy(x.data(), to.data.get(), 4 * N, cudaMemcpyDeviceToHost));
  printf("%d %08x\n", slowest >= 0 && last >= 0, checksum(x));
}
