// The same by the driver API, whose texts of errors are calls as well.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// BUILD: clang-O2
// EXPECT-EXIT: 3
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=error
#include "Inputs/driver_errors.h"

int main() {
  useFirstDevice();
  CUdeviceptr field, more;
  check(cuMemAlloc(&field, 1 << 20)); // @alloc
  check(cuMemAlloc(&more, size_t(1) << 50));
}
