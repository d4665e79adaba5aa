// The program's own ranges (gpuinstr_push_range, NVTX push and pop): what happened inside each.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing is added to a call: when a range begins and ends, its thread's counters are compared.
// That takes as long as the thread has sites, so of a range that comes often only some are looked
// at. Instances and time are always exact.
#ifndef GPUINSTR_CALLS_THREADS_PHASES_H
#define GPUINSTR_CALLS_THREADS_PHASES_H

#include "calls/sites/Sites.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpuinstr {

struct ThreadState;

/// All ranges of one name, on all threads. Those inside count for the outer ones as well.
struct PhaseTotals {
  uint64_t instances = 0, ticks = 0;
  std::array<uint64_t, 2> idleTicks = {}; ///< see ThreadState::idleTicks
  // Of those that were looked at.
  uint64_t looked = 0, lookedTicks = 0;
  uint64_t callTicks = 0;                          ///< in outermost CUDA calls
  std::unordered_map<SiteIndex, uint64_t> callsOf; ///< by the site that is charged
};

/// A range in progress.
struct OpenPhase {
  PhaseTotals *totals = nullptr; ///< null: recording was paused
  uint64_t domain = 0;
  uint32_t epoch = 0;
  uint64_t startTicks = 0, callTicks = 0;
  std::array<uint64_t, 2> idleTicks = {};
  bool looked = false;
  std::vector<std::pair<SiteIndex, uint64_t>> callsOf;
};

/// In place of an NVTX domain: gpuinstr_push_range.
constexpr uint64_t OwnRanges = ~uint64_t(0);
/// A range whose name is not known; ranges beyond those that are told apart.
constexpr std::string_view UnnamedRange = "unnamed range", OtherRanges = "other ranges";

void beginPhase(ThreadState &thread, std::string_view name, uint64_t domain);
/// The innermost one of that domain; where there is none, the program pops once too often.
void endPhase(ThreadState &thread, uint64_t domain);

/// Those that have ended.
std::vector<std::pair<std::string, PhaseTotals>> endedPhases();

class Part;
Part &phasesPart();

} // namespace gpuinstr

#endif
