// A library without instrumentation asks for the errors: they are not proven to be ignored.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// SHARED-PLAIN: libasks.so Inputs/asks.c
// EXPECT-NO: * proven
// EXPECT: ignored-error likely line=@alloc
// EXPECT: failed-launch likely line=@launch
// EXPECT-STDOUT: 1 1
#include "../Inputs/check.h"

extern "C" int failedBefore(void);

__global__ void nothing() {}

int main() {
  void *p = nullptr;
  cudaMalloc(&p, size_t(1) << 60); // @alloc
  const int alloc = failedBefore();
  nothing<<<1, 2048>>>(); // @launch
  printf("%d %d\n", alloc, failedBefore());
}
