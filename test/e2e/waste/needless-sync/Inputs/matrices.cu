// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"
#include "../../../Inputs/check.h"
#include "../../../Inputs/kernel.h"

__host__ __device__ inline void moveAt(unsigned i, float *to, const float *from, float by,
                                       float plus) {
  to[i] = by * from[i] + plus;
}
__global__ void move(float *to, const float *from, float by, float plus) {
  moveAt(globalThread(), to, from, by, plus);
}
SIMULATED(move, moveAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

Matrix::Matrix(int n) : n(n) {
  float *memory;
  CHECK(cudaMalloc(&memory, n * sizeof(float)));
  data = std::shared_ptr<float>(memory, [](float *p) { CHECK(cudaFree(p)); });
}

namespace {

struct Moving : Stage {
  Matrix to, last;
  void run(const Matrix &from, float by, float plus) {
    if (!to.data)
      to = Matrix(from.n);
    last = from;
    move<<<from.n / 256, 256>>>(to.data.get(), from.data.get(), by, plus);
    CHECK(cudaGetLastError());
  }
  Matrix tune(Matrix from) override {
    run(from, 0.75f, 0);
    CHECK(cudaDeviceSynchronize()); // @tune
    return to;
  }
  Matrix stamp(Matrix from) override {
    run(from, 1, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @stamp
    return to;
  }
};

struct Scale final : Moving {
  Matrix forward(Matrix from) override {
    run(from, 0.5f, 0);
    WAIT(); // @scale
    return to;
  }
};
struct Shift final : Moving {
  Matrix forward(Matrix from) override {
    run(from, 1, 0.25f);
    WAIT(); // @shift
    return to;
  }
};

} // namespace

std::unique_ptr<Stage> makeScale() { return std::unique_ptr<Stage>(new Scale); }
std::unique_ptr<Stage> makeShift() { return std::unique_ptr<Stage>(new Shift); }
