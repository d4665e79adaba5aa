// What a function makes and a smart pointer of the standard library keeps has that one's name.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=first bytes=1KiB function=main line=@first
// EXPECT: leak proven variable=shared bytes=2KiB function=main line=@shared
// EXPECT: leak proven variable=cast bytes=3KiB function=main line=@cast
// EXPECT: leak proven variable=assigned bytes=4KiB function=main line=@assigned
// EXPECT: leak proven variable=layer.weights bytes=128 function=Layer::Layer line=@made
// EXPECT: leak proven variable=layer.bias bytes=64 function=Layer::Layer line=@made
// EXPECT: leak proven variable=layer.weights bytes=512 function=main line=@reset
// EXPECT-NO: leak variable=made
// EXPECT-NO[twin]: * proven
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <memory>
#include <stdio.h>

static float *allocate(size_t n) {
  float *made;
  CHECK(cudaMalloc(&made, n * sizeof(float)));
  return made;
}

struct Free {
#ifdef FIXED
  void operator()(float *p) const { CHECK(cudaFree(p)); }
#else
  void operator()(float *) const {}
#endif
};
using Device = std::unique_ptr<float, Free>;

struct Layer {
  explicit Layer(size_t n) : weights(allocate(n)), bias{allocate(n / 2), Free{}} {} // @made
  void reset(size_t n) { weights.reset(allocate(n)); }
  Device weights, bias;
};

int main() {
  Device first(allocate(256));                                    // @first
  std::shared_ptr<float> shared(allocate(512), Free());           // @shared
  Device cast = Device(static_cast<float *>(allocate(768)));      // @cast
  Device assigned;
  assigned = Device(allocate(1024)); // @assigned
  Layer layer(32);
  layer.reset(128);                  // @reset
  printf("%d\n", first.get() == shared.get() || cast == assigned);
  return 0;
}
