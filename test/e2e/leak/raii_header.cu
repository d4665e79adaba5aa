// An RAII class in a header: the leak is the caller's, who never deletes the object.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven memory=device function=Solver::init line=@caller via=@Inputs/buffer.h:alloc via-function=Buffer<float>::Buffer variable=this->scratch type=float elements=1048576 count=1 bytes=4194304
// EXPECT-ALL
// EXPECT-REPORT: leak *4.19 MB*x1*this->scratch*float[1048576]*raii_header.cu:{@caller}*Solver::init
// EXPECT-REPORT: via buffer.h:*Buffer<float>::Buffer
#include "Inputs/buffer.h"

#include <cstdio>
#include <memory>

__global__ void clear(float *field, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    field[i] = 0;
}

struct Solver {
  void init() {
    this->field = std::make_unique<Buffer<float>>(1 << 20);
    this->scratch = new Buffer<float>(1 << 20); // @caller
    clear<<<4096, 256>>>(this->scratch->get(), 1 << 20);
  }
  ~Solver() {
#ifdef FIXED
    delete this->scratch;
#endif
  }
  std::unique_ptr<Buffer<float>> field;
  Buffer<float> *scratch = nullptr;
};

int main() {
  Solver solver;
  solver.init();
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess)
    return 1;
  std::puts("done");
}
