// The tool's own start-up: what loading it took, and what it makes once.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/OwnStart.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/Thread.h"
#include <algorithm>
#include <atomic>
#include <ctime>

namespace gpuinstr {

namespace {

std::atomic<uint64_t> OwnStartupNs{0};
std::atomic<bool> Charges{false};
std::atomic<uint64_t> UnchargedNs{0};

/// Of this thread: beside other processes the wall says little of what a start took.
uint64_t processorNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/// What the budget has to earn. Until the first CUDA call it is only noted: modules may still bring
/// the option.
void charge(uint64_t ns) {
  if (!Charges.load())
    UnchargedNs.fetch_add(ns);
  else
    overheadBudget().correct(int64_t(ns));
}

} // namespace

OwnStart::OwnStart(bool inCall)
    : InCall(inCall), StartTicks(ticks()), StartNs(monotonicNs()), ProcessorNs(processorNs()) {}

OwnStart::~OwnStart() {
  uint64_t endTicks = ticks();
  OwnStartupNs.fetch_add(monotonicNs() - StartNs);
  if (InCall && Self)
    Self->ownTicks += StartTicks - endTicks;
  guarded([&] { charge(processorNs() - ProcessorNs); });
}

void noteLoad(uint64_t ns) {
  constexpr uint64_t UsualLoad = 500000;
  OwnStartupNs.fetch_add(ns);
  charge(std::min(ns, UsualLoad)); // longer ones wait for the disk
}

void chargeStartToBudget() {
  if (!Charges.exchange(true))
    overheadBudget().correct(int64_t(UnchargedNs.exchange(0)));
}

uint64_t startupNs() { return OwnStartupNs.load(); }

void forgetOwnStart() {
  OwnStartupNs.store(0);
  Charges.store(false);
  UnchargedNs.store(0);
}

} // namespace gpuinstr
