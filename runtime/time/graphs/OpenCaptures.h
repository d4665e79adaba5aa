// The stream captures that are open, and the lines whose work went into them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_GRAPHS_OPENCAPTURES_H
#define GPUINSTR_TIME_GRAPHS_OPENCAPTURES_H

#include "calls/Observer.h"
#include "time/graphs/CapturePlan.h"
#include <atomic>
#include <mutex>
#include <vector>

namespace gpuinstr::timing {

/// More lines of one graph are left out.
constexpr size_t MostGraphLines = 64;

/// Unless it is there already.
void addLine(Lines &lines, SiteIndex site);

struct OpenCapture {
  uint64_t number = 0; ///< the driver's
  uint64_t stream = 0, context = 0;
  SharedLines inherited;    ///< of the graph that it goes into
  Lines lines;              ///< its own, where it is looked at
  CapturePlan::Place place; ///< where it began
  bool looked = false;      ///< at what goes into it
  uint64_t looksBefore = 0; ///< the process's when it began
  uint64_t takenNs = 0;     ///< for the look
};

/// A graph that came of a capture.
struct CapturedGraph {
  uint64_t context = 0;
  SharedLines lines;
};

/// By the driver's number; which are open at all and which stream is in which, cuda::Captures
/// knows. Callers lock `mutex`, unless said otherwise.
class OpenCaptures {
public:
  /// `work` sees what goes into captures: it is muted while none is looked at.
  OpenCaptures(std::mutex &mutex, Observer &work) : Mutex(mutex), Work(work) {}

  // Without the lock.
  bool anyLooked() const { return AnyLooked.load(std::memory_order_relaxed); }
  /// The capture that a graph launched into this stream goes into, 0 none.
  uint64_t launchedInto(uint64_t stream);
  /// The same of work while some capture is looked at.
  uint64_t lookAt(uint64_t stream);

  /// The plan says whether it is looked at.
  void begin(OpenCapture open);
  /// nullptr: not open, or not looked at.
  OpenCapture *looked(uint64_t number);
  /// It is over. Returns its graph; `isGraph`: there is one.
  CapturedGraph end(uint64_t number, bool isGraph);
  /// A stream is captured once at a time: those that are open were ended unseen.
  void closeIn(uint64_t stream);
  void closeInContext(uint64_t context);
  /// In a forked child.
  void forget();

private:
  using Place = std::vector<OpenCapture>::iterator;
  Place find(uint64_t number);
  void close(Place at);
  template <class Which> void closeAll(Which which);
  void changed();
  void noteBeside();

  std::mutex &Mutex;
  Observer &Work;
  std::vector<OpenCapture> Captures; ///< mostly one, older ones first
  CapturePlan Plan;
  std::atomic<bool> AnyLooked{false};
  std::atomic<uint32_t> Beside{0};
  std::atomic<bool> GivenUp{false}; ///< launches are no longer asked where they went
  std::atomic<uint64_t> Looks{0};
};

} // namespace gpuinstr::timing

#endif
