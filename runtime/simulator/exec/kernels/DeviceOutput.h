// What kernels print: kept until the host synchronises, as on a device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace gpuinstr::sim {

struct OutputPiece {
  bool error = false; ///< To stderr (assertions), else stdout.
  std::string text;
};

/// The output of one context's kernels. Thread-safe.
class DeviceOutput {
public:
  /// Keeps at most \p limit bytes (CU_LIMIT_PRINTF_FIFO_SIZE): the oldest output is lost first.
  void add(std::vector<OutputPiece> &&pieces, size_t limit);
  /// Writes all of it. Called by the API functions that CUDA documents to do so, no lock held.
  void flush();

private:
  std::mutex M;
  std::deque<OutputPiece> Kept;
  size_t Bytes = 0;
  std::atomic<bool> Any{false};
};

/// Appends \p format to \p text as the device's printf does: at most 32 arguments, which lie packed
/// at \p arguments, each at its natural alignment. Returns the number of arguments; -1: no format.
int formatDevice(std::string &text, const char *format, const void *arguments);

} // namespace gpuinstr::sim
