// What exact device times keep for the process: the threads' logs, CUPTI, the store.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/CuptiSession.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/OneTimeCosts.h"
#include "calls/sites/Sites.h"
#include "cuda/AttachedTools.h"
#include "time/common/TimesEpoch.h"
#include "time/exact/cupti/ActivityRecords.h"
#include "time/exact/cupti/Cupti.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

constexpr uint32_t FlushForced = 1;

std::atomic<CuptiSession *> Current{nullptr};

std::string nameOf(uint64_t function) {
  return kernelName(reinterpret_cast<const void *>(function));
}

} // namespace

CuptiSession &cuptiSession() {
  CuptiSession *current = Current.load(std::memory_order_acquire);
  if (current)
    return *current;
  auto *fresh = new CuptiSession; // leaked: used during exit
  if (Current.compare_exchange_strong(current, fresh))
    return *fresh;
  delete fresh;
  return *current;
}

void forgetCuptiSession() { Current.store(nullptr); }

/// Measured anew when the process is a hundredth older: good to 100 ns.
TickScale tickScale() {
  static std::atomic<double> scale{0};
  static std::atomic<uint64_t> nextAt{0};
  uint64_t now = ticks(), start = clockStartTicks();
  if (now >= nextAt.load(std::memory_order_relaxed)) {
    scale.store(nsPerTick(), std::memory_order_relaxed);
    nextAt.store(now + (now - start) / 100, std::memory_order_relaxed);
  }
  return {start, clockStartNs(), scale.load(std::memory_order_relaxed)};
}

ThreadLog *logOf(ThreadState &thread) {
  if (!thread.exact.log && cuptiSession().isOn())
    guarded([&] { thread.exact.log = cuptiSession().newLog(); });
  return static_cast<ThreadLog *>(thread.exact.log);
}

void CuptiSession::begin(const CuptiApi &api) {
  std::lock_guard<std::mutex> lock(mutex);
  BeganTicks = ticks();
  Store = std::make_unique<RecordStore>(nameOf, clockStartNs());
  for (const Pause &pause : Pauses)
    Store->addPause(pause);
  Api.store(new CuptiApi(api));
  On.store(true, std::memory_order_release);
  cuda::setCuptiIsOurs(true);
}

void CuptiSession::end() {
  On.store(false);
  cuda::setCuptiIsOurs(false);
  std::lock_guard<std::mutex> lock(mutex);
  Store.reset();
}

/// No lock is held: CUPTI calls complete() from here.
void CuptiSession::flush(bool all) {
  const CuptiApi *api = Api.load();
  if (!isOn() || !api)
    return;
  api->flushAll(0);
  if (all)
    api->flushAll(FlushForced);
}

void CuptiSession::stop() {
  flush(true);
  if (!On.exchange(false))
    return;
  cuda::setCuptiIsOurs(false);
  const CuptiApi *api = Api.load();
  size_t dropped = 0;
  if (api->dropped(nullptr, 0, &dropped) != 0)
    dropped = 0;
  stopCupti(*api);
  std::lock_guard<std::mutex> lock(mutex);
  Dropped += dropped;
  Store->setScale(tickScale(), uint8_t(timesEpoch()));
  for (ThreadLog *log : Logs) {
    for (auto &buffer : log->waiting)
      log->matcher.feed(buffer.second, log->log, tickScale(), *Store);
    log->waiting.clear();
    log->matcher.finish(log->log, tickScale(), *Store);
  }
}

ThreadLog *CuptiSession::newLog() {
  auto log = std::make_unique<ThreadLog>(nameOf);
  std::lock_guard<std::mutex> lock(mutex);
  Logs.push_back(log.get());
  return log.release();
}

void CuptiSession::endLog(ThreadLog *log) {
  std::lock_guard<std::mutex> lock(mutex);
  log->ended = true;
}

/// Of threads that have ended and whose records have all come.
void CuptiSession::retireLogs() {
  auto gone = std::remove_if(Logs.begin(), Logs.end(), [&](ThreadLog *log) {
    if (!log->ended || log->handedOut != log->read)
      return false;
    log->matcher.finish(log->log, tickScale(), *Store);
    Overflown += log->log.dropped();
    Unfinished += log->matcher.unfinished();
    delete log;
    return true;
  });
  Logs.erase(gone, Logs.end());
}

uint64_t CuptiSession::newCapture() {
  std::lock_guard<std::mutex> lock(mutex);
  return Store ? Store->graphs().begin() : 0;
}

void CuptiSession::addCaptured(uint64_t capture, const CapturedOp &op) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Store)
    Store->graphs().add(capture, op);
}

void CuptiSession::addHost(Activity activity, uint64_t startTicks, uint64_t endTicks) {
  TickScale scale = tickScale();
  std::lock_guard<std::mutex> lock(mutex);
  if (!Store || !isOn())
    return;
  Store->addHost(activity, scale.at(startTicks), scale.at(endTicks));
  settle();
}

void CuptiSession::addStartUp(uint64_t endTicks) {
  addHost(Activity::StartUp, BeganTicks, endTicks);
}

void CuptiSession::addPause(const Pause &pause) {
  constexpr size_t Most = 4096;
  std::lock_guard<std::mutex> lock(mutex);
  if (Store)
    Store->addPause(pause);
  else if (Pauses.size() < Most)
    Pauses.push_back(pause);
}

void CuptiSession::request(uint8_t **buffer, size_t *size) {
  ThreadState *thread = Self;
  auto *log = thread ? logOf(*thread) : nullptr;
  BufferTag tag{log, 0};
  uint64_t out;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (log)
      tag.number = log->handedOut++;
    out = ++BuffersOut;
  }
  *buffer = takeBuffer(tag, *size);
  if (!*buffer && log) {
    std::lock_guard<std::mutex> lock(mutex);
    --log->handedOut;
  }
  noteBuffersOut(out);
}

void CuptiSession::complete(uint8_t *buffer, size_t valid) {
  const CuptiApi *api = Api.load();
  BufferTag tag = tagOf(buffer);
  std::vector<DeviceRecord> records;
  std::vector<OverheadRecord> overheads;
  void *record = nullptr;
  while (valid && api->nextRecord(buffer, valid, &record) == 0) {
    DeviceRecord read;
    OverheadRecord overhead;
    if (readRecord(record, read))
      records.push_back(read);
    else if (readOverhead(record, overhead))
      overheads.push_back(overhead);
  }
  TickScale scale = tickScale();
  uint64_t up = contextTicks(), contextNs = up ? scale.at(up) : UINT64_MAX;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (BuffersOut)
      --BuffersOut;
    for (const OverheadRecord &overhead : overheads)
      Costs.add(overhead, contextNs);
    if (Store) {
      Store->setScale(scale, uint8_t(timesEpoch()));
      auto *log = static_cast<ThreadLog *>(tag.owner);
      if (!log) {
        for (const DeviceRecord &r : records)
          if (r.start)
            Store->foreign(&r, 1);
      } else {
        log->waiting[tag.number] = std::move(records);
        for (auto next = log->waiting.begin();
             next != log->waiting.end() && next->first == log->read;
             next = log->waiting.erase(next), ++log->read)
          log->matcher.feed(next->second, log->log, scale, *Store);
      }
      settle();
      retireLogs();
    }
  }
  giveBackBuffer(buffer, valid);
}

/// Device work that is still without its record starts after its call: what lies before all such
/// calls is complete.
void CuptiSession::settle() {
  if (!Store->isFull())
    return;
  uint64_t horizon = ticks();
  for (ThreadLog *log : Logs)
    for (uint64_t i = 0; LogEntry *entry = log->log.peek(i); ++i)
      if (entry->asked != Asked::Library) {
        horizon = std::min(horizon, entry->startTicks);
        break;
      }
  uint64_t horizonNs = tickScale().at(horizon), since = pausedSinceNs();
  Store->settle(since ? std::min(since, horizonNs) : horizonNs); // a pause is added when it ends
}

Overheads CuptiSession::overheads() {
  std::lock_guard<std::mutex> lock(mutex);
  return Costs;
}

std::vector<std::string> CuptiSession::notes() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> notes;
  if (!Store)
    return notes;
  uint64_t overflown = Overflown, unfinished = Unfinished;
  for (ThreadLog *log : Logs) {
    overflown += log->log.dropped();
    unfinished += log->matcher.unfinished();
  }
  const RecordCounts &counts = Store->counts();
  auto add = [&](uint64_t n, const char *text) {
    if (n)
      notes.push_back(std::to_string(n) + text);
  };
  add(counts.foreign, " device operations of code that is not instrumented: in no line's time");
  add(unfinished, " device operations had not finished when CUDA went down: their time is missing");
  add(Dropped + overflown, " device operations were dropped for want of memory");
  return notes;
}

void CuptiSession::restart() {
  std::lock_guard<std::mutex> lock(mutex);
  if (Store)
    Store->restart(monotonicNs());
  Costs = Overheads();
}

void requestBuffer(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer = nullptr;
  *size = *most = 0;
  guarded([&] { cuptiSession().request(buffer, size); });
}

void completeBuffer(void *, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  if (buffer)
    guarded([&] { cuptiSession().complete(buffer, valid); });
}

} // namespace gpuinstr::timing
