// A map goes from one buffer to the next by way of the host, in rows of a pitch, through a buffer
// that the host makes anew each time. Fixed, it is copied on the device. A second one goes the same
// way, and the host sets its corner.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=sampled budget=100
// EXPECT: roundtrip likely line=@up count>=6
// EXPECT-ALL
// EXPECT-NO[twin]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Width = 300, Height = 100, Rounds = 12;

struct Map {
  float *rows;
  size_t pitch;
  Map() { CHECK(cudaMallocPitch(&rows, &pitch, 4 * Width, Height)); }
  ~Map() { CHECK(cudaFree(rows)); }
  void upload(const std::vector<float> &from) {
    CHECK(cudaMemcpy2D(rows, pitch, from.data(), 4 * Width, 4 * Width, Height,
                       cudaMemcpyHostToDevice));
  }
  void download(std::vector<float> &to) const {
    CHECK(cudaMemcpy2D(to.data(), 4 * Width, rows, pitch, 4 * Width, Height,
                       cudaMemcpyDeviceToHost));
  }
};

__host__ __device__ inline void refineAt(unsigned i, const float *from, size_t pitch, float *to,
                                         float by) {
  const unsigned x = i % Width, y = i / Width;
  if (y < Height)
    to[y * pitch / 4 + x] = from[y * pitch / 4 + x] * 0.5f + by;
}
__global__ void refine(const float *from, size_t pitch, float *to, float by) {
  refineAt(globalThread(), from, pitch, to, by);
}
SIMULATED(refine, refineAt)

static void handOn(const Map &from, Map &to) {
#ifdef FIXED
  CHECK(cudaMemcpy2D(to.rows, to.pitch, from.rows, from.pitch, 4 * Width, Height,
                     cudaMemcpyDeviceToDevice));
#else
  std::vector<float> values(Width * Height);
  from.download(values);
  to.upload(values); // @up
#endif
}

static void handOnChanged(const Map &from, Map &to, float corner) {
  std::vector<float> values(Width * Height);
  from.download(values);
  values[0] = corner;
  to.upload(values);
}

int main() {
  Map depth, refined, normal, turned;
  depth.upload(noise(Width * Height));
  normal.upload(noise(Width * Height, 7));
  for (int i = 0; i < Rounds; ++i) {
    refine<<<(Width * Height + 255) / 256, 256>>>(depth.rows, depth.pitch, refined.rows, i);
    refine<<<(Width * Height + 255) / 256, 256>>>(normal.rows, normal.pitch, turned.rows, i);
    CHECK(cudaGetLastError());
    handOn(refined, depth);
    handOnChanged(turned, normal, i);
  }
  std::vector<float> values(Width * Height);
  depth.download(values);
  uint32_t sum = checksum(values);
  normal.download(values);
  printf("%08x %08x\n", sum, checksum(values));
}
