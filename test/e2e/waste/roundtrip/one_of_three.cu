// Of the uploads of a line to buffers that are made anew, one in three is what the download before it brought: the
// others do not count.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip likely function=main line=@up variable=a related=@down count>=3 count<=5
// EXPECT-NO: roundtrip count>=6
// EXPECT-REPORT: *uploads looked at: the host sent the same bytes*
// EXPECT-NO[twin]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14, Rounds = 5;

__host__ __device__ inline void addAt(unsigned i, const float *in, float *out, float by) {
  out[i] = in[i] + by;
}
__global__ void add(const float *in, float *out, float by) { addAt(globalThread(), in, out, by); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> image(N), result(N);
  float last = 0;
  for (int round = 0; round < Rounds; ++round) {
    float *a, *b;
    CHECK(cudaMalloc(&a, 4 * N));
    CHECK(cudaMalloc(&b, 4 * N));
    for (int frame = 0; frame < 3; ++frame) {
#ifdef FIXED
      const float first = frame * 0.25f + round * 10;
#else
      const float first = frame + round * 10; // the last one is what the one before has come to
#endif
      for (int i = 0; i < N; ++i)
        image[i] = i * 0.5f + first;
      CHECK(cudaMemcpy(a, image.data(), 4 * N, cudaMemcpyHostToDevice)); // @up
      add<<<N / 256, 256>>>(a, b, frame);
      CHECK(cudaMemcpy(result.data(), b, 4 * N, cudaMemcpyDeviceToHost)); // @down
      last = result[5];
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
  }
  printf("%g\n", last);
}
