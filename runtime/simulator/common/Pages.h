// Pages of the host's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace gpuinstr::sim {

constexpr size_t PageBytes = 4096;

/// \p Bytes rounded up to whole pages.
constexpr size_t wholePages(size_t Bytes) {
  return (Bytes + PageBytes - 1) / PageBytes * PageBytes;
}

} // namespace gpuinstr::sim
