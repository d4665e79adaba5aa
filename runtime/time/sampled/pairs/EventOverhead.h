// What an event pair measures beside the operation between its events.
// SPDX-License-Identifier: Apache-2.0
//
// Three parts. (1) The events themselves: 1.3 to 2.9 us between two events with nothing between
// them, measured at start in the context, and 2.2 to 4.0 us around a kernel. (2) On a stream that
// has run dry the device waits between the start event and the operation for the host to issue it.
// How long the start event waited in the queue is known from its distance to a reference event of
// known host time, so this part is told for every sample alone, not guessed from an average. (3)
// What the host copies into or out of the driver's staging memory meanwhile, and the change from
// one of the device's engines to another.
#ifndef GPUINSTR_TIME_SAMPLED_PAIRS_EVENTOVERHEAD_H
#define GPUINSTR_TIME_SAMPLED_PAIRS_EVENTOVERHEAD_H

#include "base/locks/LeafMutex.h"
#include "cuda/Driver.h"
#include <cstdint>

namespace gpuinstr::timing {

struct Pair;

/// Operations of a class run on the same part of the device and have the same overhead.
enum class WorkClass : uint8_t {
  Kernel,
  SmallSet,
  LargeSet,
  Copy,
  DeviceCopy, ///< within a device
  BlockingCopy,
  StagedDownload, ///< to pageable memory: waits, and the host copies the bytes once more
  StagedUpload,   ///< from pageable memory: the host copies the bytes first
  Graph
};

struct Corrected {
  double ns = 0;      ///< on the device, at least 0
  double doubtNs = 0; ///< what the correction leaves open, as a half-width
  double afterNs = 0; ///< from Timed::startTicks to its start on the device
  /// The filler before it was done before the host said that the operation was issued; or an
  /// engine had to be changed for a kernel.
  bool isPoor = false;
};

/// Two bare events, where most was measured (docs/Costs.md).
constexpr double KnownEmptyNs = 1280;

/// Whether what stands before an operation in its stream runs on another engine of the device: a
/// copy before a kernel, or one in the other direction.
enum class EngineChange : uint8_t { None, Perhaps, Likely };

/// What else is known of an operation that was timed.
struct Surroundings {
  EngineChange change = EngineChange::None;
  double linkNsPerByte = 0; ///< of copies of pinned memory, 0 unknown
  bool isFilled = false;    ///< a filler stands before the pair
};

/// The pure arithmetic: `gapNs` is the host time from the start event to the operation, `queuedNs`
/// how long the start event waited for the device, `emptyNs` two events with nothing between.
/// `bytes` are those of a copy.
Corrected takeOff(WorkClass work, double elapsedNs, double gapNs, double queuedNs, double emptyNs,
                  double bytes, Surroundings around = {});

/// Estimates the minimum host-to-device clock lag. Events whose recording was slow on the host are
/// excluded, so one interrupt cannot skew later corrections.
class LeastLag {
public:
  /// An event's lag, `passedNs` after the one before; recording it took the host `recordNs`.
  void note(double lagNs, double passedNs, double recordNs);
  double ns() const { return Ns; }

private:
  bool Any = false;
  double Ns = 0;
  double LeastRecordNs = 0;
};

/// One context's.
class EventOverhead {
public:
  /// Measures two events with nothing between them, in an idle stream of its own, so no stream of
  /// the program is disturbed. KnownEmptyNs stays when that fails.
  void calibrate(const DriverApi &api);

  /// Of a pair that has finished. Takes its start event as the next reference.
  Corrected correct(const DriverApi &api, Pair &pair, double elapsedNs);

  double emptyNs() const { return EmptyNs; }

private:
  void startReference(const DriverApi &api, void *stream, void *event);
  double queuedNs(const DriverApi &api, Pair &pair);

  LeafMutex Mutex;
  double EmptyNs = KnownEmptyNs;
  void *Reference = nullptr; ///< a finished event
  uint64_t ReferenceTicks = 0;
  double ReferenceLagNs = 0; ///< its device time against its host time, up to a constant
  double LinkNsPerByte = 0;  ///< the least seen of large copies, 0 none
  LeastLag Least;
};

} // namespace gpuinstr::timing

#endif
