// Wrappers whose calls are checked by a function that asks for the last error: the rows are their
// users' all the same. Where it waits for the device it has a job, and they keep their rows.
// SPDX-License-Identifier: Apache-2.0
// WITH: Inputs/cuda.c
// TWIN: FIXED
// EXPECT: leak proven variable=net.input_gpu function=main line=@made via=@Inputs/cuda.c:alloc
// EXPECT: noop-copy proven variable=net.input_gpu line=@pushed via=@Inputs/cuda.c:push
// EXPECT: noop-copy proven variable=scale.ptr function=main line=@uploaded via=@copy
// EXPECT-ALL
// EXPECT-SITE[both]: kind=copy line=@pushed via=@Inputs/cuda.c:push calls=6
// EXPECT-SITE[both]: kind=copy line=@uploaded via=@copy calls=6
// EXPECT-NO-SITE[both]: line=@Inputs/cuda.c:push calls>=1
// EXPECT-NO-SITE[both]: line=@copy calls>=1
// EXPECT-SITE[both]: kind=copy function=cuda_push_waited line=@Inputs/cuda.c:waited calls=1
// EXPECT-REPORT: noop-copy *net.input_gpu <- net.input*
#include "Inputs/cuda.h"

#include "../Inputs/data.h"

#include <cuda_runtime.h>

#include <stdexcept>

static void check(cudaError_t status, const char *file, int line) {
  if (status == cudaSuccess)
    status = cudaGetLastError();
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " +
                             cudaGetErrorString(status));
}

class Buffer {
public:
  explicit Buffer(size_t n) : n(n) {
    check(cudaMalloc(&ptr, n * sizeof(float)), __FILE__, __LINE__);
  }
  ~Buffer() { cudaFree(ptr); }
  void upload(const std::vector<float> &from) {
    check(cudaMemcpy(ptr, from.data(), n * sizeof(float), cudaMemcpyHostToDevice), // @copy
          __FILE__, __LINE__);
  }

private:
  float *ptr = nullptr;
  size_t n;
};

struct Net {
  float *input, *input_gpu;
};

int main() {
  std::vector<float> input = noise(40000), factors = noise(40000, 2);
  Net net{input.data(), nullptr};
  net.input_gpu = cuda_make_array(net.input, input.size()); // @made
  Buffer scale(factors.size());
  for (int i = 0; i < 6; ++i) {
#ifdef FIXED
    for (float &x : input)
      x += 1;
    for (float &x : factors)
      x += 1;
#endif
    cuda_push_array(net.input_gpu, net.input, input.size()); // @pushed
    scale.upload(factors);                                   // @uploaded
  }
  input[0] = 2;
  cuda_push_waited(net.input_gpu, net.input, input.size());
#ifdef FIXED
  cuda_free(net.input_gpu);
#endif
  puts("done");
}
