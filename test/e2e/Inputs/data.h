// Input data without a pattern in it, and a checksum for printing results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

/// n numbers between 0 and 1, the same for the same seed.
inline std::vector<float> noise(size_t n, uint32_t seed = 1) {
  std::vector<float> values(n);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(seed >> 8) / float(1 << 24);
  }
  return values;
}

inline uint32_t checksum(const void *data, size_t bytes) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < bytes; ++i)
    sum = (sum ^ static_cast<const unsigned char *>(data)[i]) * 16777619u;
  return sum;
}

template <typename T> uint32_t checksum(const std::vector<T> &values) {
  return checksum(values.data(), values.size() * sizeof(T));
}
