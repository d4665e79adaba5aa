// Members that a constructor allocates are called as one writes them: `->` behind what a new gave, `.` behind an object.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=this->resources->cost caller-function=Engine::Engine caller=@made count=1 bytes=256
// EXPECT: leak proven variable=this->resources->sums caller-function=Engine::Engine caller=@made count=1 bytes=128
// EXPECT: leak proven variable=single.cost caller-function=main caller=@single count=1 bytes=1024
// EXPECT: leak proven variable=single.sums caller-function=main caller=@single count=1 bytes=512
// EXPECT-ALL
#include "../Inputs/check.h"

struct Resources {
  float *cost, *sums;
  explicit Resources(size_t bytes) {
    CHECK(cudaMalloc((void **)&cost, bytes)); // @cost
    CHECK(cudaMalloc((void **)&sums, bytes / 2)); // @sums
  }
  ~Resources() {
#ifdef FIXED
    CHECK(cudaFree(cost));
    CHECK(cudaFree(sums));
#endif
  }
};

struct Engine {
  Resources *resources;
  Engine() : resources(nullptr) {
    resources = new Resources(256); // @made
  }
  ~Engine() { delete resources; }
};

int main() {
  Engine engine;
  Resources single(1024); // @single
  printf("%d\n", engine.resources->cost != single.cost);
}
