// Exceptions pass through functions with CUDA calls; cleanups free, later lines stay right.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_late function=main line=@leak count=1 bytes=128
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc line=@input via=@alloc calls=10
// EXPECT-SITE[both]: kind=alloc line=@output via=@alloc calls=10
// EXPECT-SITE[both]: kind=free line=@end via=@free calls=20
// EXPECT-STDOUT[both]: 10 refused
#include "../Inputs/check.h"

#include <stdexcept>

class Buffer {
public:
  explicit Buffer(size_t bytes) {
    CHECK(cudaMalloc(&data, bytes)); // @alloc
  }
  ~Buffer() {
    CHECK(cudaFree(data)); // @free
  }
  void *data;
};

static void process(int item) {
  Buffer input(256); // @input
  CHECK(cudaMemset(input.data, item, 256));
  Buffer output(512); // @output
  if (item % 1 == 0)
    throw std::runtime_error("refused");
  CHECK(cudaMemcpy(output.data, input.data, 256, cudaMemcpyDeviceToDevice));
} // @end

int main() {
  int refused = 0;
  for (int i = 0; i < 10; ++i)
    try {
      process(i);
    } catch (const std::runtime_error &) {
      ++refused;
    }
  printf("%d refused\n", refused);
  void *d_late;
  CHECK(cudaMalloc(&d_late, 128)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_late));
#endif
}
