// Counts what differs from the expected value; main returns failed().
// SPDX-License-Identifier: Apache-2.0
#ifndef CHECK_H
#define CHECK_H
#include <cstdio>
#include <cuda_runtime.h>

inline int failures = 0;
template <class A, class B> void check(const char *what, A got, B wanted) {
  if (got == static_cast<A>(wanted))
    return;
  if (++failures < 10)
    std::printf("%s: %g instead of %g\n", what, double(got), double(wanted));
}
inline int failed() {
  check("last error", int(cudaDeviceSynchronize()), 0);
  std::printf(failures ? "FAILED\n" : "RIGHT\n");
  return failures != 0;
}
#endif
