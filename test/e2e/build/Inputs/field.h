// A field on the device, and a device function of another unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

__device__ float damp(float value, float factor);

struct Field {
  bool allocate(int n);
  bool release();
  float *data = nullptr;
  int size = 0;
};
