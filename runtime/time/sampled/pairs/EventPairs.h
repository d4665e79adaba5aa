// Pooled pairs of CUDA events around single operations, read when the device has passed them.
// SPDX-License-Identifier: Apache-2.0
//
// Lock-free: the thread that changed a pair's state owns it. A context's pool has a fixed number of
// pairs, which bounds the runtime's own pending work; when all are pending, nothing is timed.
#ifndef GPUINSTR_TIME_SAMPLED_PAIRS_EVENTPAIRS_H
#define GPUINSTR_TIME_SAMPLED_PAIRS_EVENTPAIRS_H

#include "cuda/Driver.h"
#include "time/sampled/pairs/EventOverhead.h"
#include "time/sampled/totals/TimeStore.h"
#include "trace/Format.h"
#include <atomic>
#include <cstdint>
#include <optional>

namespace gpuinstr::timing {

// From cuda.h.
constexpr int Success = 0, InvalidHandle = 400, NotReady = 600;

inline void *asHandle(uint64_t value) { return reinterpret_cast<void *>(value); }

/// What is known of a timed operation before the device has done it.
struct Timed : TimedOperation {
  uint8_t work = 0; ///< WorkClass
  EngineChange change = EngineChange::None;
  uint64_t startTicks = 0;  ///< when the start event had been recorded
  uint64_t callTicks = 0;   ///< from there to the return of the program's call
  trace::Record trace = {}; ///< its record in the trace but for the times; site 0: no trace
};

/// Twice as many commands may be pending of the runtime's own: an eighth of a hardware queue, so
/// that a program that fills it behind a kernel that waits for the host keeps its place. Fillers
/// come beside them only where no such kernel is known to run.
constexpr unsigned PairsPerContext = 64;

struct Pair {
  enum State : uint32_t { Empty, Free, Busy, Pending };
  std::atomic<uint32_t> state{Empty};
  void *start = nullptr, *stop = nullptr;
  std::atomic<uint64_t> *pending = nullptr; ///< its context's, by number
  uint16_t number = 0;                      ///< in its context
  int16_t device = -1;                      ///< ordinal of the context's; -1 unknown
  class Filler *filler = nullptr;           ///< of its context, null: none
  bool isFilled = false;                    ///< by Filler::fill(), before the start event
  uint64_t recordTicks = 0;                 ///< that recording the start event took on the host
  std::optional<OperationKind> kind;        ///< where it was asked for before the call
  Timed timed;
};

/// A pair of the current context with both events made, now Busy; nullptr: none free, no context,
/// or the driver refuses. Some are kept for operations of sites that are new.
Pair *takePair(const DriverApi &api, bool isNew);
void giveBack(Pair *pair);
/// The current context's, once: pairs that are taken from now on have it. `context`: its handle, 0
/// unknown.
void makeFiller(const DriverApi &api, uint64_t context);
/// Both events are recorded: read it later.
void submit(Pair *pair, const Timed &timed);

/// Reads up to `most` finished pairs of the current context and hands them to noteTimed(). Asks no
/// more than `most` pairs.
void pollPairs(const DriverApi &api, unsigned most);
/// Reads all finished pairs of the current context; never waits.
void drainPairs(const DriverApi &api);

/// A context goes, null: the current one. Its events go with it.
void forgetPairs(const DriverApi &api, void *context);
/// In a forked child: all are the parent's.
void forgetPairs();

} // namespace gpuinstr::timing

#endif
