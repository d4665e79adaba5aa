// Asks for the text of an error that it expects, and goes on: what it does not free is a leak,
// whatever status it ends with.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// BUILD: clang-O2
// EXPECT-EXIT: 3
// EXPECT: leak proven variable=field line=@alloc count=1
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit
#include "Inputs/driver_errors.h"

int main() {
  useFirstDevice();
  CUdeviceptr field, more;
  check(cuMemAlloc(&field, 1 << 20)); // @alloc
  CUresult result = cuMemAlloc(&more, size_t(1) << 50);
  if (result != CUDA_SUCCESS)
    report(result);
  check(cuMemsetD8(field, 0, 1 << 20));
  return 3;
}
