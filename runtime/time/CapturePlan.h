// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_CAPTUREPLAN_H
#define GPUINSTR_TIME_CAPTUREPLAN_H

#include "core/Sites.h"
#include <map>
#include <vector>

namespace gpuinstr::timing {

/// By the line that begins a capture: its first captures are looked at, the later ones as the
/// budget allows. What was not looked at is taken for what the last one there was. Callers lock.
class CapturePlan {
public:
  using Lines = std::vector<core::SiteIndex>;
  /// One site's, and its caller's.
  using Place = std::pair<core::SiteIndex, core::SiteIndex>;

  /// Captures of a place that may be paid from what the budget earns later; the very first is
  /// looked at whatever it costs.
  static constexpr uint64_t DenseCaptures = 16;
  /// A call that is looked at: measured on an H200, 370 ns a captured launch.
  static constexpr uint64_t LookNs = 400;

  /// A capture begins. Takes what looking at it will cost.
  bool wantsLook(const Place &place);
  /// What the last one that was looked at captured.
  const Lines &lastOf(const Place &place) { return Known[place].lines; }
  /// One that was looked at is over; `looks`: calls meanwhile, into the capture or not.
  void looked(const Place &place, const Lines &lines, uint64_t looks);
  void clear() { Known.clear(); }

private:
  struct Last {
    uint64_t captures = 0, looks = 0;
    Lines lines;
  };
  std::map<Place, Last> Known;
};

} // namespace gpuinstr::timing

#endif
