// Members of one object keep their names; memory that is all of its object has the object's name.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: leak proven variable=lost.bias line=@bias count=1 bytes=128
// EXPECT-ALL
// EXPECT-ALLOCATED[both]: variable=model.weights line=@weights count=1 bytes=4096
// EXPECT-ALLOCATED[both]: variable=model.bias line=@bias count=1 bytes=256
// EXPECT-ALLOCATED[both]: variable=model.gradients line=@gradients count=1 bytes=4096
// EXPECT-ALLOCATED[both]: variable=model.moments line=@moments count=1 bytes=8192
// EXPECT-ALLOCATED[both]: variable=lost.weights line=@weights count=1 bytes=2048
// EXPECT-ALLOCATED[both]: variable=whole line=@whole count=1 bytes=512
// EXPECT-REPORT[both]: *8.19 kB*1*device*model.moments*members.cpp:{@moments}
// EXPECT-REPORT: leak *128 B x1*lost.bias*members.cpp:{@bias}*Model::Model
// EXPECT-REPORT: called from members.cpp:{@lost} main
#include "../Inputs/check.h"

class Buffer {
public:
  explicit Buffer(size_t n) { CHECK(cudaMalloc((void **)&data, n * sizeof(float))); }
  ~Buffer() { CHECK(cudaFree(data)); }

private:
  float *data = nullptr;
};

class Model {
public:
  explicit Model(size_t n, bool frees = true)
      : gradients(n),   // @gradients
        moments(2 * n), // @moments
        frees(frees) {
    CHECK(cudaMalloc((void **)&weights, n * sizeof(float)));   // @weights
    CHECK(cudaMalloc((void **)&bias, n / 16 * sizeof(float))); // @bias
  }
  ~Model() {
    CHECK(cudaFree(weights));
    if (frees)
      CHECK(cudaFree(bias));
  }

private:
  Buffer gradients, moments;
  float *weights = nullptr, *bias = nullptr;
  bool frees;
};

int main() {
  Model model(1024);
  Buffer whole(128); // @whole
#ifdef FIXED
  Model lost(512);
#else
  Model lost(512, false); // @lost
#endif
  puts("done");
}
