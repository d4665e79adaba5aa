// Which kernels may still be running, and which are known to be done or put before a copy.
// SPDX-License-Identifier: Apache-2.0
//
// Only what the program itself showed counts: synchronisations, queries that said "done", event
// waits, and the legacy default stream's order. Everything else may be running.
#ifndef GPUINSTR_AUDIT_STREAMS_H
#define GPUINSTR_AUDIT_STREAMS_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace gpuinstr::audit {

/// Launches are numbered over the whole process: 1, 2 ...
using Order = uint64_t;

struct StreamState {
  uint64_t handle = 0, context = 0;
  const void *thread = nullptr; ///< per-thread default streams
  uint16_t index = 0;
  bool blocking = true; ///< ordered with the legacy default stream
  bool legacy = false;
  bool destroyed = false;
  /// Written by launches, without the lock.
  std::atomic<Order> lastLaunch{0};
  std::atomic<bool> work{false};      ///< something asynchronous since the last synchronisation
  std::atomic<bool> dependent{false}; ///< had a programmatic dependent launch
  Order done = 0;                     ///< launches up to here have ended
  /// Launches of other streams (by index) up to that number come before what is put in now.
  std::unordered_map<uint16_t, Order> after;
};

/// The last launch that did something, packed into a word: order and stream.
struct Mark {
  static constexpr unsigned StreamBits = 12;
  static constexpr uint16_t Several =
      (1 << StreamBits) - 1; ///< of more than one stream, or unknown
  static uint64_t pack(Order order, uint16_t stream) { return order << StreamBits | stream; }
  static Order order(uint64_t mark) { return mark >> StreamBits; }
  static uint16_t stream(uint64_t mark) { return mark & Several; }
};

/// Not thread-safe but for the atomics above: callers hold the auditor's lock.
class Streams {
public:
  /// The stream that a handle stands for in this context, on this thread. Never null.
  StreamState &of(uint64_t handle, uint64_t context, const void *thread);
  /// By index; null for Several and what is gone.
  StreamState *at(uint16_t index);

  void created(uint64_t handle, uint64_t context, bool nonBlocking);
  void destroyed(uint64_t handle);

  /// Launches up to `upTo` on this stream, and on those that come before it, have ended.
  void synced(StreamState &stream, Order upTo);
  void syncedContext(uint64_t context, Order upTo);
  void recorded(uint64_t event, StreamState &stream);
  void waited(StreamState &stream, uint64_t event);
  void eventDone(uint64_t event);
  void eventGone(uint64_t event) { Events.erase(event); }

  /// Whether a kernel may be running that is not on this stream, nor put before it.
  bool othersMayRun(const StreamState &stream) const;
  /// Whether the launch of a Mark may be running, or come later, than what is put into the stream.
  bool mayRun(uint64_t mark, const StreamState &stream) const {
    return mark && Mark::stream(mark) != stream.index && markMayRun(mark, stream);
  }
  /// Whether a synchronisation would find anything. Of one stream, with all that it orders.
  bool anyWork(const StreamState &stream) const;
  bool anyWorkIn(uint64_t context) const;
  /// Everything of a context that was reset.
  void forget(uint64_t context);
  void clear();
  /// What the first has got comes before what the second gets.
  static bool ordered(const StreamState &earlier, const StreamState &later);

  /// Changes when a handle may stand for another stream than before.
  std::atomic<uint64_t> generation{1};

private:
  bool markMayRun(uint64_t mark, const StreamState &stream) const;
  struct Recorded {
    uint16_t stream;
    Order order;
    std::unordered_map<uint16_t, Order> after;
  };
  bool mayRun(const StreamState &other, Order order, const StreamState &stream) const;
  StreamState &make(uint64_t handle, uint64_t context, const void *thread);

  std::deque<StreamState> All; ///< never moves: launches hold pointers
  std::map<std::tuple<uint64_t, uint64_t, const void *>, StreamState *> ByHandle;
  std::unordered_map<uint64_t, Recorded> Events;
};

} // namespace gpuinstr::audit

#endif
