// wrapper=GLOB makes wrappers of functions that are none by themselves: one kind of row for both.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: -fplugin-arg-gpuinstr-wrapper=dev::*
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=nodes function=main line=@leak via=@alloc via-function=dev::allocate count=1 bytes=65536
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc callee=cudaMalloc line=@edges via=@alloc calls=1
// EXPECT-SITE[both]: kind=alloc callee=cudaMalloc line=@outer via=@alloc calls=1
// EXPECT-NO-SITE[both]: line=@alloc calls>=1
// EXPECT-NO-SITE[both]: kind=caller calls>=1
// EXPECT-REPORT: leak *nodes*wrapper.cpp:{@leak}*main
// EXPECT-REPORT: via wrapper.cpp:* dev::allocate
#include <cuda_runtime_api.h>

#include <cstdio>

namespace dev {

// No wrapper by itself: it tries again.
void *allocate(std::size_t bytes) {
  void *block = nullptr;
  for (int i = 0; i < 3; ++i)
    if (cudaMalloc(&block, bytes) == cudaSuccess) // @alloc
      break;
  return block;
}

void *floats(std::size_t n) { return allocate(n * sizeof(float)); }

} // namespace dev

int main() {
  void *edges = dev::allocate(32768); // @edges
  void *nodes = dev::allocate(65536); // @leak
  void *more = dev::floats(16);       // @outer
  if (cudaFree(edges) != cudaSuccess || cudaFree(more) != cudaSuccess)
    return 1;
#ifdef FIXED
  cudaFree(nodes);
#else
  (void)nodes;
#endif
  std::puts("built");
}
