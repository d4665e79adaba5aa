// What exact device times keep for the process: the threads' logs, CUPTI, the store.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_CUPTISESSION_H
#define GPUINSTR_TIME_EXACT_CUPTISESSION_H

#include "calls/threads/Recording.h"
#include "calls/threads/Thread.h"
#include "time/exact/RecordStore.h"
#include "time/exact/cupti/Overheads.h"
#include <memory>
#include <mutex>

namespace gpuinstr::timing {

struct CuptiApi;

/// A thread's log and what is joined to it.
struct ThreadLog {
  explicit ThreadLog(KernelNamer namer) : matcher(namer) {}
  CallLog log;
  RecordMatcher matcher;
  uint64_t capture = 0; ///< that its captured operations belong to; the thread's own
  // Under the state's lock.
  uint64_t handedOut = 0, read = 0;                      ///< buffers
  std::map<uint64_t, std::vector<DeviceRecord>> waiting; ///< read out of order, by number
  bool ended = false;
};

class CuptiSession {
public:
  /// Exact times begin: CUPTI may call back from now on.
  void begin(const CuptiApi &api);
  /// Nothing is measured any more; what was stays.
  void end();
  bool isOn() const { return On.load(std::memory_order_acquire); }
  void flush(bool all);
  void stop();

  ThreadLog *newLog();
  void endLog(ThreadLog *log);
  uint64_t newCapture();
  void addCaptured(uint64_t capture, const CapturedOp &op);
  void addHost(Activity activity, uint64_t startTicks, uint64_t endTicks);
  void addStartUp(uint64_t endTicks);
  void addPause(const Pause &pause);

  /// CUPTI's two callbacks.
  void request(uint8_t **buffer, size_t *size);
  void complete(uint8_t *buffer, size_t valid);

  /// Under the lock.
  template <class Work> void withStore(Work work) {
    std::lock_guard<std::mutex> lock(mutex);
    if (Store)
      work(*Store);
  }
  Overheads overheads();
  std::vector<std::string> notes();
  void restart();

  std::mutex mutex;

private:
  void settle();
  void retireLogs();

  std::atomic<bool> On{false};
  std::atomic<const CuptiApi *> Api{nullptr};
  std::unique_ptr<RecordStore> Store;
  std::vector<ThreadLog *> Logs;
  Overheads Costs;
  std::vector<Pause> Pauses; ///< from before the store
  uint64_t BuffersOut = 0, BeganTicks = 0, Dropped = 0, Overflown = 0, Unfinished = 0;
};

/// Replaced in a forked child: the old one may be half written.
CuptiSession &cuptiSession();
void forgetCuptiSession();

/// The thread's log, made on first use; nullptr when memory is out.
ThreadLog *logOf(ThreadState &thread);

void requestBuffer(uint8_t **buffer, size_t *size, size_t *most);
void completeBuffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
/// So many are with CUPTI.
void noteBuffersOut(uint64_t count);

TickScale tickScale();

} // namespace gpuinstr::timing

#endif
