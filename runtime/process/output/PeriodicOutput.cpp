// What one background thread does now and then: json_every=SECONDS rewrites the profile's file,
// spool=DIR keeps the state for whoever finds the process dead, telemetry is read. First of all,
// once, it looks for code that nobody has instrumented.
// SPDX-License-Identifier: Apache-2.0
//
// A job that is killed at its time limit leaves the state of a moment before. The file is replaced
// in one step, so that a reader never meets half of one.
#include "process/output/PeriodicOutput.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/OwnMemory.h"
#include "base/Part.h"
#include "calls/code/UnseenCode.h"
#include "calls/threads/Thread.h"
#include "options/Options.h"
#include "process/output/ReportOutput.h"
#include "process/output/Spool.h"
#include "process/profile/ProfileBuilder.h"
#include "time/telemetry/Telemetry.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace gpuinstr {

namespace {

constexpr size_t WriterStack = 1 << 20;
constexpr uint64_t FirstSpoolNs = 20000000;

sem_t StopWriting; ///< posted once: stop
std::atomic<bool> Started{false}, Stopping{false};
std::atomic<bool> Working{false}; ///< what a fork has to wait for
std::atomic<bool> Writing{false}; ///< ... and the last report: never for NVML
std::atomic<int> Held{0};         ///< forks in progress

constexpr uint64_t Never = ~uint64_t(0), NsPerSecond = 1000000000;

/// When which is due, on the monotonic clock. The thread's own once it runs.
struct Schedule {
  uint64_t json = Never, spool = Never, telemetry = Never;
  uint64_t startNs = 0, spoolSpentNs = 0;
  bool looksForUnseenCode = false; ///< at once

  uint64_t first() const { return std::min({json, spool, telemetry}); }
};
Schedule Next;

void sleepMs(long ms) {
  timespec pause{0, ms * 1000000};
  nanosleep(&pause, nullptr);
}

void writeNow(bool (*write)(profile::Profile &, uint64_t), bool &goesOn) {
  ThreadState *thread = thisThread();
  if (!thread)
    return;
  BusyScope busy(*thread);
  RescueScope rescue;
  guarded([&] {
    uint64_t takenNs = monotonicNs();
    profile::Profile profile = buildProfile(Ending::Now, "running", -1);
    // What was not used so far may be used yet.
    profile.findings.erase(std::remove_if(profile.findings.begin(), profile.findings.end(),
                                          [](const profile::Finding &finding) {
                                            return finding.pattern ==
                                                   profile::Pattern::UnusedAllocation;
                                          }),
                           profile.findings.end());
    if (!Stopping.load())
      goesOn = write(profile, takenNs);
  });
}

/// A period after the end of this one: a slow disk must not make it write all the time.
void rewriteJson() {
  bool goesOn = true;
  writeNow([](profile::Profile &profile, uint64_t) { return writeJson(profile), true; }, goesOn);
  Next.json = monotonicNs() + options::options().json_every * NsPerSecond;
}

void rewriteSpool() {
  uint64_t start = monotonicNs();
  bool goesOn = true;
  writeNow([](profile::Profile &profile, uint64_t ns) { return writeSpool(profile, ns); }, goesOn);
  uint64_t now = monotonicNs(), took = now - start;
  Next.spoolSpentNs += took;
  Next.spool = goesOn ? now + spoolPauseNs(now - Next.startNs, Next.spoolSpentNs, took,
                                           options::options().budget)
                      : Never;
}

void readDevices() {
  uint64_t pause = timing::NoReading;
  guarded([&] { pause = timing::readTelemetry(monotonicNs() - Next.startNs); });
  Next.telemetry = pause == timing::NoReading ? Never : monotonicNs() + pause;
}

/// False: it is time to end.
bool sleepUntil(uint64_t ns) {
  timespec when{time_t(ns / NsPerSecond), long(ns % NsPerSecond)};
  int result;
  do
    result = sem_clockwait(&StopWriting, CLOCK_MONOTONIC, &when);
  while (result != 0 && errno == EINTR);
  return result != 0 && errno == ETIMEDOUT;
}

void beginWork() {
  Working.store(true);
  while (Held.load()) { // it looks at Working after Held, this the other way round
    Working.store(false);
    sleepMs(1);
    Working.store(true);
  }
}

/// The program's first call is about to ask, once the driver has started: it finds the answer.
void lookForUnseenCode() {
  beginWork();
  guarded([] { (void)unseenCodeUsesCuda(); });
  Working.store(false);
}

void *writer(void *) {
  if (Next.looksForUnseenCode)
    lookForUnseenCode();
  while (Next.first() != Never && sleepUntil(Next.first())) {
    beginWork();
    uint64_t now = monotonicNs();
    Writing.store(true);
    if (!Stopping.load() && now >= Next.json)
      rewriteJson();
    if (!Stopping.load() && now >= Next.spool)
      rewriteSpool();
    Writing.store(false);
    if (!Stopping.load() && now >= Next.telemetry)
      readDevices();
    Working.store(false);
  }
  return nullptr;
}

} // namespace

void startPeriodic() {
  const options::Options &options = options::options();
  bool json = options.json_every && !options.json.empty(), spool = wantsSpool();
  bool telemetry = timing::wantsTelemetry();
  if ((!json && !spool && !telemetry) || Started.exchange(true))
    return;
  Next = {};
  Next.startNs = monotonicNs();
  Next.looksForUnseenCode = options.audit != options::AuditMode::Off;
  if (json)
    Next.json = Next.startNs + options.json_every * NsPerSecond;
  if (spool)
    Next.spool = Next.startNs + FirstSpoolNs;
  if (telemetry)
    Next.telemetry = Next.startNs + timing::firstReadingNs(options.budget);
  Stopping.store(false);
  if (sem_init(&StopWriting, 0, 0) != 0)
    return;
  (void)startBackground(writer, WriterStack);
}

void stopPeriodic(int waitMs) {
  if (!Started.load() || Stopping.exchange(true))
    return;
  sem_post(&StopWriting);
  for (int ms = 0; ms < waitMs && Writing.load(); ++ms)
    sleepMs(1);
}

namespace {

class PeriodicOutputPart : public Part {
public:
  /// None is begun, and one in progress is waited for. The child then finds no lock taken that its
  /// own report needs.
  void lock() override {
    constexpr int LongestWaitMs = 100;
    Held.fetch_add(1);
    for (int ms = 0; ms < LongestWaitMs && Working.load(); ++ms)
      sleepMs(1);
  }
  void unlock() override { Held.fetch_sub(1); }
  /// The thread is not there.
  void childAfterFork() override {
    Started.store(false);
    Stopping.store(false);
    Working.store(false);
    Writing.store(false);
    Held.store(0);
    forgetSpool();
  }
};

} // namespace

Part &periodicOutputPart() {
  static Part *part = new PeriodicOutputPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
