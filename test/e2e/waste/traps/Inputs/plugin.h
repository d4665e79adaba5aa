// SPDX-License-Identifier: Apache-2.0
#pragma once

struct Job {
  const float *in;
  int *flags;
  float *scratch, *out;
  bool raises; ///< a flag
};
