// A flag on the device that is set anew in each round, and that others may raise in between.
// SPDX-License-Identifier: Apache-2.0
#ifndef RESET_FLAG_H
#define RESET_FLAG_H

#include "check.h"

#include <cuda_runtime.h>

/// 40 rounds: all bytes become value(round), raise(round, flag) says whether it failed. Prints what the
/// flag held. False: raise() failed.
template <class Value, class Raise> bool resetFlag(Value value, Raise raise) {
  int *flag, raised = 0;
  CHECK(cudaMalloc(&flag, 4096));
  for (int round = 0; round < 40; ++round) {
    CHECK(cudaMemset(flag, value(round), 4096)); // @set
    if (raise(round, flag))
      return false;
    int now = 0;
    CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
    raised += now;
  }
  printf("%d\n", raised);
  CHECK(cudaFree(flag));
  return true;
}

#endif
