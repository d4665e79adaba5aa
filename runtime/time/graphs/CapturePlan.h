// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_GRAPHS_CAPTUREPLAN_H
#define GPUINSTR_TIME_GRAPHS_CAPTUREPLAN_H

#include "calls/sites/Sites.h"
#include <map>
#include <memory>
#include <vector>

namespace gpuinstr::timing {

using Lines = std::vector<SiteIndex>;
/// Never changed, so that captures, graphs and executables of the same lines share one. Null: none.
using SharedLines = std::shared_ptr<const Lines>;

/// By the line that begins a capture: its first captures are inspected, later ones as the budget
/// allows, and the more seldom the longer they hold the same lines. A capture that is not inspected
/// is assumed to hold what the last one there did. Callers lock.
class CapturePlan {
public:
  /// One site's, and its caller's.
  using Place = std::pair<SiteIndex, SiteIndex>;

  /// Captures of a place that may be paid from what the budget earns later; the very first is
  /// looked at whatever it costs.
  static constexpr uint64_t DenseCaptures = 16;
  /// From then on each look that finds what the last one found doubles the distance to the next, up
  /// to so many captures; one that finds other lines makes it 1.
  static constexpr uint64_t MostApart = 256;
  /// After so many in a row that were refused, one more is paid so.
  static constexpr uint64_t MostRefused = 64;
  /// A call that is looked at: measured on an H200, 370 ns a captured launch. And what a capture
  /// costs beside: all threads take the long way of launches once more.
  static constexpr uint64_t LookNs = 400, CaptureNs = 5000;
  /// The most that is asked for beforehand: dearer ones would never be looked at again. All that it
  /// cost is charged afterwards.
  static constexpr uint64_t MostNs = 1000000;

  /// A capture begins. Takes what looking at it will cost, and says how much.
  bool wantsLook(const Place &place, uint64_t &takenNs);
  /// What the last one that was looked at captured.
  const SharedLines &lastOf(const Place &place) { return at(place).lines; }
  /// One that was looked at is over; `looks`: calls meanwhile, into the capture or not.
  void looked(const Place &place, uint64_t looks, uint64_t takenNs);
  /// ... and became a graph.
  void captured(const Place &place, Lines &&lines);
  void clear() {
    Known.clear();
    Recent = nullptr;
  }

private:
  struct Last {
    uint64_t captures = 0, refused = 0;
    uint64_t apart = 1, passed = 0; ///< captures from look to look, and since the last
    uint64_t costNs = CaptureNs;
    SharedLines lines;
  };
  Last &at(const Place &place);
  std::map<Place, Last> Known;
  std::pair<const Place, Last> *Recent = nullptr; ///< of Known
};

} // namespace gpuinstr::timing

#endif
