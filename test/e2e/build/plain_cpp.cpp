// A host file that only includes cuda_runtime_api.h, in all link modes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-debug clang-lto clang-thinlto clang-ptsz clang-static
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=stage.d_first function=main line=@start via=@leak via-function=*Stage* count=1 bytes=1024
// EXPECT-ALL
// EXPECT-SITE: kind=copy callee=cudaMemcpyAsync* line=@start via=@copy calls=1 bytes=1024
#include "../Inputs/check.h"

#include <cuda_runtime_api.h>

namespace {
struct Stage {
  void start() {
    CHECK(cudaMalloc(&d_first, 1024)); // @leak
    CHECK(cudaMalloc(&d_second, 1024));
    CHECK(cudaMemcpyAsync(d_second, d_first, 1024, cudaMemcpyDeviceToDevice, nullptr)); // @copy
    CHECK(cudaStreamSynchronize(nullptr));
  }
  void *d_first = nullptr, *d_second = nullptr;
};
} // namespace

int main() {
  Stage stage;
  stage.start(); // @start
#ifdef FIXED
  CHECK(cudaFree(stage.d_first));
#endif
  CHECK(cudaFree(stage.d_second));
  puts("done");
}
