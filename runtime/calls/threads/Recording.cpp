// How much of the wall time was recorded: shares are of that.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Recording.h"
#include "base/Clock.h"
#include <algorithm>
#include <atomic>

namespace gpuinstr {

namespace {
// Reports read them while others write: a pause that begins or ends right then may be missed.
std::atomic<uint64_t> RestartNs{0}, PausedNs{0}, SinceNs{0};
std::atomic<bool> Paused{false};
} // namespace

Pause setRecording(bool on) {
  uint64_t since = SinceNs.load(), now = monotonicNs();
  if (on == (since == 0))
    return {};
  if (!on) {
    SinceNs.store(now);
    Paused.store(true);
    return {};
  }
  SinceNs.store(0);
  PausedNs.fetch_add(now - std::min(now, std::max(since, RestartNs.load())));
  return {since, now};
}

void restartRecording() {
  RestartNs.store(monotonicNs());
  PausedNs.store(0);
  Paused.store(SinceNs.load() != 0);
}

uint64_t recordedNs(uint64_t startNs, uint64_t endNs) {
  startNs = std::max(startNs, RestartNs.load());
  uint64_t since = SinceNs.load();
  uint64_t rests =
      PausedNs.load() + (since ? endNs - std::min(endNs, std::max(since, startNs)) : 0);
  uint64_t all = endNs - std::min(endNs, startNs);
  return all - std::min(all, rests);
}

uint64_t pausedSinceNs() { return SinceNs.load(); }
bool wasPaused() { return Paused.load(); }

} // namespace gpuinstr
