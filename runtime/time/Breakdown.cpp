// Where the wall time went, for the profile.
// SPDX-License-Identifier: Apache-2.0
#include "time/Breakdown.h"
#include "base/Clock.h"
#include "calls/threads/Recording.h"
#include "calls/threads/Thread.h"
#include "profile/HostShares.h"
#include "time/exact/ExactTimer.h"
#include "time/sampled/SampledShare.h"
#include "time/sampled/TimedStreams.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

/// Fewer rounds are no loop, and less time or a smaller share of it is not worth rewriting code.
constexpr uint64_t LeastTurns = 8, LeastNs = 10000000;
constexpr double LeastShare = 0.05, MostOverlap = 0.2;

} // namespace

uint64_t serialisedNs(const profile::GpuShare &share, uint64_t turns) {
  uint64_t possible = share.overlap_possible_ns, achieved = share.overlap_ns;
  if (turns < LeastTurns || double(achieved) > MostOverlap * double(possible))
    return 0;
  uint64_t lost = possible - achieved;
  return lost < LeastNs || double(lost) < LeastShare * double(share.wall_ns) ? 0 : lost;
}

std::vector<FindingRecord> timingFindings() {
  SiteIndex site = 0;
  uint64_t turns = 0, ns = 0;
  if (!findSerialised(monotonicNs(), site, turns, ns))
    return {};
  FindingRecord record;
  record.key.pattern = Pattern::Serialised;
  record.key.grade = Grade::Advice;
  record.key.site = site;
  record.count = turns;
  record.ticks = uint64_t(double(ns) / nsPerTick());
  return {record};
}

void fillBreakdown(profile::Profile &profile, uint64_t leftOut) {
  profile.breakdown.host = profile::hostShares(profile);
  fillGpuBreakdown(profile, monotonicNs());
  if (!profile.breakdown.gpus.empty())
    return;
  SampledFacts facts;
  facts.severalStreams = severalStreamsTimed;
  facts.hostThreads = threadsWithCalls();
  facts.paused = wasPaused();
  facts.leftOut = leftOut;
  countUntimed(profile);
  profile.breakdown.gpus = sampledShares(profile, facts);
}

} // namespace gpuinstr::timing
