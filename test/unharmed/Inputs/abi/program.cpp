// What older versions of the plugin have compiled beside.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime_api.h>

static int fill(void *to, const char *from, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}

int main() {
  static char text[4096];
  void *d_lost = nullptr;
  int error = cudaMalloc(&d_lost, sizeof text);
  std::printf("result %d\n", error | fill(d_lost, text, sizeof text));
}
