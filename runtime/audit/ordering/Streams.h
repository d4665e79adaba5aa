// Which kernels may still be running, and which are known to be done or put before a copy.
// SPDX-License-Identifier: Apache-2.0
//
// Only what the program itself showed counts: synchronisations, queries that said "done", event
// waits, and the legacy default stream's order. Everything else may be running.
#ifndef GPUINSTR_AUDIT_ORDERING_STREAMS_H
#define GPUINSTR_AUDIT_ORDERING_STREAMS_H

#include "audit/ordering/AuditHotState.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace gpuinstr::audit {

class DeviceHasher;

/// Launches are numbered over the whole process: 1, 2 ...
using Order = uint64_t;

/// How far the process had come: its launches, and what else it had put into streams.
struct Moment {
  Order launches = 0;
  uint64_t puts = 0; ///< by Streams::Puts
  Moment() = default;
  Moment(Order upTo, uint64_t putsUpTo = ~uint64_t(0)) : launches(upTo), puts(putsUpTo) {}
};

struct alignas(64) StreamState {
  /// Written by launches, without the lock.
  std::atomic<Order> lastLaunch{0};
  /// ... of a kernel that is not known to end whatever the host does.
  std::atomic<Order> lastWaiting{0};
  /// Launches (and holds) up to here have ended. Written by synchronisations, without the lock.
  std::atomic<Order> done{0};
  /// Numbered like launches: the last thing put in that may wait for the host or for anything else
  /// that is not known to end: a host function, an event that was recorded unseen.
  std::atomic<Order> hold{0};
  std::atomic<bool> work{false}; ///< something asynchronous since the last synchronisation
  /// Launches here were taken for ones into a capture, see CaptureTrust.
  std::atomic<bool> captured{false};
  /// The last of that which is no launch, by its number; those up to the second have ended.
  std::atomic<uint64_t> lastPut{0}, putsDone{0};
  std::atomic<bool> dependent{false};    ///< had a programmatic dependent launch
  std::atomic<bool> bringsOthers{false}; ///< `after` is not empty
  bool blocking = true;                  ///< ordered with the legacy default stream
  bool legacy = false;
  bool destroyed = false;
  bool bringsHashes = false; ///< `afterHashes` is not empty
  uint16_t index = 0;
  uint64_t handle = 0, context = 0;
  const void *thread = nullptr; ///< per-thread default streams
  // Hashes of the auditor. Their count never falls, whatever stream has this place.
  uint64_t hashes = 0; ///< put in

  /// Launches of other streams (by index) up to that number come before what is put in now.
  std::unordered_map<uint16_t, Order> after;

  // Of the hashes as well.
  uint32_t waiting = 0;           ///< ... by calls whose hashes are not known to have arrived
  DeviceHasher *engine = nullptr; ///< whose they are
  uint8_t marker = 0;             ///< stream marker of the hasher behind the last of them
  /// Hashes of other streams up to that number come before what is put in now.
  std::unordered_map<uint16_t, uint64_t> afterHashes;
  void comesAfterHashes(uint16_t other, uint64_t upTo) {
    bringsHashes = true;
    uint64_t &known = afterHashes[other];
    known = std::max(known, upTo);
  }

  void forgetOthers() {
    after.clear();
    bringsOthers.store(false);
    afterHashes.clear();
    bringsHashes = false;
  }

  Order last() const { return std::max(lastLaunch.load(std::memory_order_seq_cst), hold.load()); }
  /// What is under way here may wait for the host, as far as is known.
  bool mayWait() const {
    if (captured.load(std::memory_order_relaxed))
      return true;
    Order waiting = std::max(lastWaiting.load(std::memory_order_seq_cst), hold.load());
    return waiting > done.load();
  }
  /// A host function, or what else may wait for the host, may not have ended.
  bool mayRunHost() const { return hold.load() > done.load(); }
  /// A launch's number, which the stream knows before the launch looks for hashes: who places one
  /// announces it first, then asks the stream (HashScheduling.h). Between store and look stands one
  /// locked operation, that of the counter: the number is stored as it will most likely be. One
  /// that surely ends looks for none.
  inline Order countLaunch(bool mayWait) {
    const Order next = AuditHot.launches.load(std::memory_order_relaxed) + 1;
    if (mayWait)
      lastWaiting.store(next, std::memory_order_relaxed);
    lastLaunch.store(next, std::memory_order_relaxed);
    const Order order = (mayWait ? AuditHot.launches.fetch_add(1) : AuditHot.nextLaunch()) + 1;
    if (__builtin_expect(order != next, false)) { // another thread's was first
      if (mayWait)
        lastWaiting.store(order, std::memory_order_relaxed);
      lastLaunch.exchange(order);
    }
    return order;
  }
  /// A launch of that number that is not known to end.
  void launched(Order order) {
    raise(lastWaiting, order);
    raise(lastLaunch, order);
    work.store(true);
  }
  /// All up to there has ended; with or without the lock.
  void ended(Order upTo) { raise(done, upTo); }
  /// ... and what was put in up to there was waited for.
  void waitedFor(Moment upTo) {
    ended(std::min(upTo.launches, last()));
    raise(putsDone, std::min(upTo.puts, lastPut.load()));
    work.store(false);
    // What another thread put in meanwhile was perhaps not waited for.
    if (last() > upTo.launches || lastPut.load() > upTo.puts)
      work.store(true);
  }
  /// Host memory that asynchronous copies go to, of which the last has this number.
  uint64_t hostLo = 0, hostHi = 0, hostPut = 0;

private:
  static void raise(std::atomic<uint64_t> &value, uint64_t to) {
    uint64_t known = value.load(std::memory_order_relaxed);
    while (known < to && !value.compare_exchange_weak(known, to))
      ;
  }
};

/// The last launch that did something, packed into a word: order and stream.
struct LaunchStamp {
  static constexpr unsigned StreamBits = 12;
  static constexpr uint16_t Several =
      (1 << StreamBits) - 1; ///< of more than one stream, or unknown
  static uint64_t pack(Order order, uint16_t stream) { return order << StreamBits | stream; }
  static Order order(uint64_t stamp) { return stamp >> StreamBits; }
  static uint16_t stream(uint64_t stamp) { return stamp & Several; }
};

/// Not thread-safe but for the atomics above: callers hold the auditor's lock.
class Streams {
public:
  /// The stream that a handle stands for in this context, on this thread. Never null. Where the
  /// context is 0, as CUDA's runtime has not met the thread yet, it is the program's only one.
  StreamState &of(uint64_t handle, uint64_t context, const void *thread);
  /// The only one that the program was seen to use; 0: none or several.
  void onlyContext(uint64_t context) { OnlyContext = context; }
  /// By index; null for Several and what is gone.
  StreamState *at(uint16_t index);
  template <class Visit> void each(Visit visit) {
    for (StreamState &stream : All)
      visit(stream);
  }

  void created(uint64_t handle, uint64_t context, bool nonBlocking);
  void destroyed(uint64_t handle);
  /// What its default streams have got goes on.
  void threadEnded(const void *thread);

  /// Something asynchronous that is no launch was put into the stream: its number.
  uint64_t put(StreamState &stream);
  /// What was put in up to `upTo` on this stream, and on those that come before it, has ended.
  void synced(StreamState &stream, Moment upTo);
  void syncedContext(uint64_t context, Moment upTo);
  /// An asynchronous copy of the stream writes there, in the host's memory.
  void writesHost(StreamState &stream, uint64_t lo, uint64_t hi);
  /// Whether such a copy may still write there when the stream has come to what it gets now;
  /// `ofAny`: now.
  bool hostWriteMayRun(const StreamState &stream, uint64_t lo, uint64_t hi, bool ofAny) const;
  void recorded(uint64_t event, StreamState &stream);
  /// False: what the event stands for is not known.
  bool waited(StreamState &stream, uint64_t event);
  void eventDone(uint64_t event);
  /// Whether an event that is done shows that what the stream (by index) got behind the put of that
  /// number, and before the next one, is done.
  bool shows(uint64_t event, uint16_t stream, uint64_t put) const;
  void eventGone(uint64_t event);
  void forgetEvents(); ///< of none is it known what it was recorded behind

  /// The driver says that all it has got up to this launch is done.
  void idle(StreamState &stream, Order upTo);

  /// Whether all that is under way in the stream's context surely ends: copies, sets, kernels that
  /// wait for nobody.
  bool quiet(const StreamState &stream) const;
  bool quietIn(uint64_t context) const;
  /// ... but for what is in the stream itself.
  bool quietBeside(const StreamState &stream) const;
  /// Whether what the stream gets now comes behind the hashes of the other.
  static bool behindHashes(const StreamState &stream, const StreamState &other) {
    return behindHashes(stream, other, other.hashes);
  }
  /// ... behind the first so many of them.
  static bool behindHashes(const StreamState &stream, const StreamState &other, uint64_t upTo);
  /// Visits streams whose hashes may be waiting beside what this one gets now.
  template <class Visit> void eachBeside(const StreamState &stream, Visit visit) {
    for (StreamState &other : All)
      if (other.waiting && sharesContext(other, stream) && !behindHashes(stream, other))
        visit(other);
  }

  /// Whether a kernel may be running that is not on this stream, nor put before it.
  bool othersMayRun(const StreamState &stream) const;
  /// ... one that may wait for the host.
  bool othersMayWait(const StreamState &stream) const;
  /// Whether a host function may be running or waiting anywhere in the context.
  bool hostMayRun(uint64_t context) const;
  bool hostMayRunAnywhere() const;
  /// ... one that is put before what the stream gets now.
  bool hostMayRunBefore(const StreamState &stream) const;
  /// ... one that is not.
  bool hostMayRunBeside(const StreamState &stream) const;
  /// Whether the launch of a LaunchStamp may be running, or come later, than what is put into the
  /// stream.
  bool mayRun(uint64_t stamp, const StreamState &stream) const {
    return stamp && LaunchStamp::stream(stamp) != stream.index && stampedMayRun(stamp, stream);
  }
  /// Whether a synchronisation would find anything. Of one stream, with all that it orders. Where a
  /// context is not known, it may be any.
  bool anyWork(const StreamState &stream) const;
  bool anyWorkIn(uint64_t context) const;
  /// Everything of a context that was reset.
  void forget(uint64_t context);
  void clear();
  /// Whether what the first got may come after what the second gets now: copies, which have no
  /// number. Events are not asked.
  static bool mayOvertake(const StreamState &earlier, const StreamState &later) {
    return !ordered(earlier, later) && earlier.work.load(std::memory_order_relaxed);
  }
  /// What the first has got comes before what the second gets.
  static bool ordered(const StreamState &earlier, const StreamState &later);

  /// Counts what calls that are no launches put into streams, and transfers that wait for their
  /// end. With the lock held; read without.
  static constexpr std::atomic<uint64_t> &Puts = AuditHot.puts;
  static uint64_t count() {
    uint64_t number = Puts.load(std::memory_order_relaxed) + 1;
    Puts.store(number, std::memory_order_relaxed);
    return number;
  }

  /// Counts what the host may have to wait for before it uses its own memory: copies to and from
  /// it that may touch that after their calls, and functions of its own. With the lock held.
  static constexpr uint64_t &ForHost = AuditHot.forHost;
  void putForHost(StreamState &stream) {
    put(stream);
    ++ForHost;
  }
  /// So many come directly before the next one, and like it: they have their numbers.
  static void countMore(uint64_t times, bool areForHost) {
    Puts.store(Puts.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
    ForHost += areForHost ? times : 0;
  }

  /// A blocking upload out of pageable memory, which `count` is the number of: its call is back
  /// once the driver has taken the bytes over, and they may be on their way to the device still.
  void broughtEarly(const StreamState &stream, uint64_t number) {
    EarlyUpload = number;
    EarlyIn = &stream;
  }
  /// Nothing came since, and a stream that does not wait for that one could miss its bytes.
  bool mayBeOnTheirWay() const;
  /// A wait showed it; with or without the lock.
  void allArrived() {
    if (EarlyUpload.load(std::memory_order_relaxed))
      EarlyUpload.store(0, std::memory_order_relaxed);
  }

  /// Changes when a handle may stand for another stream than before.
  static constexpr std::atomic<uint64_t> &generation = AuditHot.streamGeneration;

  /// synced() and syncedContext() without the lock, of a stream that was looked up in this
  /// generation. False, and nothing was done: others may be meant as well.
  bool syncedAlone(StreamState &stream, bool isLegacy, Moment upTo) const {
    if ((isLegacy && !isOnly()) || stream.bringsOthers.load())
      return false;
    stream.waitedFor(upTo);
    return true;
  }
  /// There is one stream.
  bool isOnly() const { return Count.load() == 1; }
  StreamState *only() { return All.size() == 1 ? &All[0] : nullptr; }

private:
  std::atomic<uint64_t> EarlyUpload{0}; ///< 0: none
  const StreamState *EarlyIn = nullptr;
  bool stampedMayRun(uint64_t stamp, const StreamState &stream) const;
  struct Recorded {
    StreamState *stream = nullptr;
    Order order = 0;
    uint64_t puts = 0; ///< Puts then
    uint64_t hashes = 0;
    bool bringsOthers = false; ///< one of those below is not empty
    std::unordered_map<uint16_t, Order> after;
    std::unordered_map<uint16_t, uint64_t> afterHashes;
  };
  /// Null: nothing is known of it.
  Recorded *find(uint64_t event) const;
  Recorded &findOrMake(uint64_t event);
  static void copyOthers(Recorded &to, const StreamState &from);
  static bool sharesContext(const StreamState &one, const StreamState &other) {
    return one.context == other.context || one.context == 0 || other.context == 0;
  }
  bool mayRun(const StreamState &other, Order order, const StreamState &stream) const;
  StreamState &make(uint64_t handle, uint64_t context, const void *thread);

  uint64_t OnlyContext = 0;
  std::atomic<uint32_t> Count{0}; ///< All.size()
  std::deque<StreamState> All;    ///< never moves: launches hold pointers
  std::map<std::tuple<uint64_t, uint64_t, const void *>, StreamState *> ByHandle;
  std::unordered_map<uint64_t, Recorded> Events;
  /// Those of Events that were asked for last, by their handles: one line instead of three.
  static constexpr unsigned RecentBits = 6;
  struct Recent {
    uint64_t event = 0;
    Recorded *recorded = nullptr; ///< null: none
  };
  Recent &recentAt(uint64_t event) const {
    return RecentEvents[event * 0x9e3779b97f4a7c15u >> (64 - RecentBits)];
  }
  alignas(64) mutable Recent RecentEvents[1 << RecentBits];
};

} // namespace gpuinstr::audit

#endif
