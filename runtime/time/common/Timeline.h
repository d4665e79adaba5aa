// What a device did over time, and what the host did while the device had nothing to do.
// SPDX-License-Identifier: Apache-2.0
//
// Intervals arrive in any order. Those before a horizon that no later interval can precede are
// summed and dropped, so memory does not grow with their number.
#ifndef GPUINSTR_TIME_COMMON_TIMELINE_H
#define GPUINSTR_TIME_COMMON_TIMELINE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuinstr::timing {

/// In order of precedence: a moment counts once, for the first of these that goes on.
enum class Activity : uint8_t {
  Kernel,
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  Set,
  // Of the host, while the device is idle.
  Paused, ///< nothing is recorded: in no share
  StartUp,
  BlockingCopy,
  Allocation,
  Launch,
  Sync,
  Host, ///< none of these
  Count
};
constexpr size_t Activities = size_t(Activity::Count);

struct TimelineTotals {
  uint64_t ns[Activities] = {}; ///< of disjoint parts: the sum is all time
  uint64_t kernelNs = 0;        ///< at least one kernel runs
  uint64_t copyNs = 0;          ///< at least one copy between host and device
  uint64_t bothNs = 0;          ///< a kernel and such a copy
  uint64_t turns = 0;           ///< times that a copy began after a kernel, with none running
};

class Timeline {
public:
  /// Time counts from `startNs`.
  explicit Timeline(uint64_t startNs) : DoneUpTo(startNs) {}

  void add(Activity activity, uint64_t startNs, uint64_t endNs);
  /// Whether it is time to call settle().
  bool isFull() const { return Spans.size() >= Fill; }
  /// Nothing will be added any more that starts before `horizonNs`.
  void settle(uint64_t horizonNs);
  /// All up to `endNs`, what is still kept included; the timeline itself stays as it is.
  TimelineTotals totals(uint64_t endNs) const;
  size_t kept() const { return Spans.size(); }

private:
  struct Span {
    uint64_t start, end;
    Activity activity;
  };
  static constexpr size_t LeastFill = 1 << 15;

  void sweep(uint64_t upTo);

  std::vector<Span> Spans;
  size_t Fill = LeastFill;
  uint64_t DoneUpTo;
  bool LastWasKernel = false;
  TimelineTotals Sums;
};

} // namespace gpuinstr::timing

#endif
