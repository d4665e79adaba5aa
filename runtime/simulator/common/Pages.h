// Pages of the host's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace gpuinstr::sim {

constexpr size_t PageBytes = 4096;

/// \p bytes rounded up to whole pages.
constexpr size_t wholePages(size_t bytes) {
  return (bytes + PageBytes - 1) / PageBytes * PageBytes;
}

} // namespace gpuinstr::sim
