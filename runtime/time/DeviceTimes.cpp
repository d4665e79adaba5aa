// Device times of the process: exact where that was asked for and is possible, else sampled.
// SPDX-License-Identifier: Apache-2.0
#include "time/DeviceTimes.h"
#include "base/text/Stderr.h"
#include "options/Options.h"
#include "time/exact/ExactTimer.h"
#include "time/graphs/GraphLines.h"
#include "time/sampled/SampledTimer.h"
#include <mutex>

namespace gpuinstr::timing {

namespace {

/// Why exact times are not to be had, though they were asked for.
struct Problem {
  std::mutex mutex;
  std::string text;
};
Problem &problem() {
  static Problem *instance = new Problem; // leaked: used during exit
  return *instance;
}

template <class T> void append(std::vector<T> &to, std::vector<T> from) {
  for (T &one : from)
    to.push_back(std::move(one));
}

} // namespace

void startDeviceTimes() {
  if (options::options().gpu_time != options::GpuTimeMode::Exact)
    return;
  std::string why = exactTimer().start();
  if (why.empty())
    return;
  std::string text = "gpu_time=exact: " + why + ": device time is sampled";
  {
    std::lock_guard<std::mutex> lock(problem().mutex);
    problem().text = text;
  }
  writeToStderr("gpuinstr: " + text + "\n");
  sampledTimer().start();
}

void collectTimes() {
  exactTimer().collect();
  sampledTimer().collect();
}

void stopTimes() {
  sampledTimer().stop();
  exactTimer().stop();
}

void addDeviceTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known) {
  if (!exactTimer().addTimes(to, site, known))
    sampledTimer().addTimes(to, site, known);
}

void addExactCosts(profile::Process &process) { exactTimer().addCosts(process); }

std::vector<FindingRecord> timingFindings() {
  std::vector<FindingRecord> all = sampledTimer().findings();
  append(all, exactTimer().findings());
  return all;
}

std::vector<std::string> timingNotes() {
  std::vector<std::string> notes = sampledTimer().notes();
  {
    std::lock_guard<std::mutex> lock(problem().mutex);
    if (!problem().text.empty())
      notes.push_back(problem().text);
  }
  append(notes, exactTimer().notes());
  return notes;
}

void lockTimes() {
  sampledTimer().lock();
  lockGraphLines();
  exactTimer().lock();
  problem().mutex.lock();
}

void unlockTimes() {
  problem().mutex.unlock();
  exactTimer().unlock();
  unlockGraphLines();
  sampledTimer().unlock();
}

void forgetTimes() {
  exactTimer().childAfterFork();
  forgetGraphLines();
  sampledTimer().childAfterFork();
  problem().text.clear();
}

void clearTimes() {
  sampledTimer().reset();
  clearNotedGraphLines();
  exactTimer().reset();
}

} // namespace gpuinstr::timing
