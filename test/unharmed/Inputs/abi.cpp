// Its descriptors are altered as other versions of the plugin would have them. See abi.test.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime_api.h>

int main() {
  void *d_lost = nullptr;
  int error = cudaMalloc(&d_lost, 4096);
  std::printf("result %d\n", error);
}
