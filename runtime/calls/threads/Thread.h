// What the runtime knows of one thread: calls in progress, counters, the error nobody asked about.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_THREADS_THREAD_H
#define GPUINSTR_CALLS_THREADS_THREAD_H

#include "base/SharedHotState.h"
#include "calls/threads/Counters.h"
#include "calls/threads/LaunchCache.h"
#include "calls/threads/Phases.h"
#include "calls/threads/StackRoom.h"
#include "cuda/operands/CallOperands.h"
#include "cuda/operands/GraphNode.h"
#include "gpuinstr/abi.h"
#include <memory>
#include <pthread.h>
#include <vector>

namespace gpuinstr {

/// A call in progress. The frame itself lies on the caller's stack and may be gone after an
/// exception, so what must stay readable is copied here.
struct LiveFrame {
  gpuinstr_frame *frame;
  const gpuinstr_site *site;
  uintptr_t stack; ///< the stack pointer when enter was called
};

/// The outermost call in progress: everything nested in it is attributed to it.
struct RootCall {
  SiteIndex site = 0, caller = 0;
  uint64_t start = 0;               ///< ticks
  uint64_t end = 0;                 ///< ticks of the leave in progress, its own or a nested one's
  SiteCounters *counters = nullptr; ///< never null while a call is in progress
  int32_t nestedError = 0;          ///< of the launch function inside a launch stub
  bool nestedIsDriver = false;
  bool ranged = false;  ///< an NVTX range is open
  bool untimed = false; ///< `start` means nothing
  uint8_t unseen = 0; ///< calls that went unseen and that it stands for, see budget/WatchWindows.h
  struct SiteAttribution *attribution = nullptr; ///< while ThreadState::fastPath
};

/// A failed call whose result was discarded, until somebody asks or the next error comes.
struct PendingError {
  bool launch = false, driver = false;
  /// Of a copy, whose kind is another one: 1 and cudaMemcpyKind, as its pointers are. 0 not known.
  uint8_t rightKind = 0;
  int32_t error = 0;
  SiteIndex site = 0, caller = 0;
  uint64_t count = 0;
  uint64_t librariesGone = 0; ///< when the first one failed

  bool isLike(const PendingError &o) const {
    return launch == o.launch && driver == o.driver && error == o.error && site == o.site &&
           caller == o.caller;
  }
};

/// All with the same error: CUDA keeps the last one, and who asks once behind a loop learns of it.
struct PendingErrors {
  static constexpr unsigned Most = 8; ///< lines; further ones are not told
  PendingError lines[Most];
  unsigned number = 0;

  /// Whether asking for the last error would tell of these, too, once `next` has failed.
  bool outlive(const PendingError &next) const {
    return number == 0 || (lines[0].error == next.error && lines[0].driver == next.driver);
  }
  void add(const PendingError &one);
};

/// The allocations that the last copies touched: saves the ledger's lock while nothing is allocated
/// or freed.
struct RangeCache {
  /// Large ones by where their parts lie: a pool's pieces are met in all of its segments.
  static constexpr unsigned SpanBits = 6;
  struct alignas(32) Span {
    uint64_t generation = 0; ///< 0: none
    uint64_t base = 0, bytes = 0;
  };
  Span spans[1 << SpanBits];
  static unsigned spanOf(uint64_t address) {
    return unsigned((address >> 21) * 0x9e3779b97f4a7c15u >> (64 - SpanBits));
  }

  // All others, of one generation.
  static constexpr unsigned Ways = 4;
  uint64_t generation = 0;
  unsigned next = 0, nextGap = 0;
  uint64_t base[Ways] = {}, end[Ways] = {};
  /// Where nothing is live and nothing was freed of late, as with pageable host memory.
  uint64_t gapBase[Ways] = {}, gapEnd[Ways] = {};
  /// The two sides of a copy that stayed inside of them, so that the next one like it is known.
  struct Side {
    uint64_t address = 0, span = 0;
    bool isKnown = false; ///< an allocation, not a gap
  };
  Side dst, src;

  void startAnew(uint64_t now) {
    generation = now;
    next = nextGap = 0;
    for (unsigned i = 0; i < Ways; ++i)
      base[i] = end[i] = gapBase[i] = gapEnd[i] = 0;
    dst = src = Side();
  }
};

/// The copy that returned last on a thread, for what is issued right behind it.
struct LastCopy {
  static constexpr uint64_t NotTimed = ~uint64_t(0);
  uint64_t endTicks = 0; ///< 0 none; NotTimed: nobody knows when, and callTicks is a usual one's
  uint64_t callTicks = 0;
  const gpuinstr_site *site = nullptr;
  uint64_t kind = 0; ///< its slot, if it has one
};

/// The device operation that is being timed, see time/sampled/Sampler.h.
struct TimedCall {
  const gpuinstr_frame *frame = nullptr; ///< none
  void *pair = nullptr;
  uint64_t stream = 0;
  uint64_t startTicks = 0; ///< when the first event had been recorded
  unsigned level = 0;
  uint64_t ownTicks = 0; ///< that putting it in took
  LastCopy behind;       ///< that its thread issued right before it; none
};

/// The call that exact device times are noting, see time/exact/Exact.h.
struct ExactCall {
  void *log = nullptr;                   ///< of the thread, made on first use
  void *entry = nullptr;                 ///< of the call in progress, null: none is needed
  const gpuinstr_frame *frame = nullptr; ///< none
  uint64_t startTicks = 0;
};

/// The thread's device and context in a leave, see surroundingsOf().
struct Surroundings {
  bool asked = false;
  int device = -1;      ///< -1 unknown
  uint64_t context = 0; ///< 0 none
};

/// The capture that a call begins or ends, as CaptureObserver found it.
struct CallCapture {
  uint64_t number = 0;  ///< the driver's; 0 none
  uint32_t changes = 0; ///< CaptureTracker's before the driver was asked
};

/// A range that the program pushed through NVTX, see CaptureNvtx.cpp.
struct OpenNvtxRange {
  uint64_t domain;
  bool ours; ///< of the name that capture=nvtx@NAME waits for
};

/// What the calls of a site are attributed to, as the slow path found out: a site whose enter has
/// nothing to do but to attribute and time it, such as k<<<>>>(). See FastLaunchPath.h.
constexpr uint32_t TimedBlock = 16;
struct alignas(64) SiteAttribution {
  const gpuinstr_site *site = nullptr; ///< of the frame
  uint64_t callers = 0;                ///< of the frame, see callersOf()
  SiteCounters *counters = nullptr;
  SiteIndex chargedSite = 0, chargedCaller = 0;
  uint64_t state = 0;        ///< GlobalState then: it holds no longer than that
  Relaxed<uint16_t> untimed; ///< calls that were counted nowhere yet, because they were not timed
  // Launches in quick succession are timed in blocks: timing single ones would mispredict a branch
  // each, and that costs as much as a timestamp.
  uint16_t skip = 0;          ///< calls until the next block
  uint16_t left = TimedBlock; ///< calls in this one
  uint16_t weight = 1;        ///< calls that each of them stands for
  uint64_t blockTicks = 0;    ///< what those of this block took so far
  uint64_t blockEnd = 0;      ///< when the last block ended, ticks
};
static_assert(sizeof(SiteAttribution) == 64, "one cache line");

/// What looks at calls of GPUINSTR_SITE_FREQUENT cost an attached program's thread.
struct LookCosts {
  uint32_t untilMeasured = 1;  ///< looks until one is measured
  Relaxed<uint32_t> lookTicks; ///< what one costs; 0: nobody said that such calls begin
  uint64_t askedAt = 0;        ///< of the call whose look is being measured, ticks; 0 none
  Relaxed<uint64_t> looks;
  uint64_t looksBefore = 0; ///< as largestLoad() last saw them
};

/// A kernel that a site is known to have launched, see noteKernel().
struct NotedKernel {
  uint64_t function = 0, generation = 0;
  SiteIndex site = 0;
};

/// A call that was counted nowhere yet.
struct Duration {
  Relaxed<SiteCounters *> counters;
  Relaxed<uint64_t> ticks;
  Relaxed<uint32_t> weight; ///< calls whose time it stands for
};

/// How the outermost call in progress was attributed.
enum class FastPath : uint8_t {
  None,       ///< the slow way
  Site,       ///< by a SiteAttribution: what is inside may be a launch
  RootLaunch, ///< by a RepeatedCall's: it is a launch itself
  RootLooked, ///< by a RepeatedCall's: it is another call, at which a ShortLook looks
  RootSame,   ///< the same, and it is the last call once more: see SameCalls.h
  BehindSame, ///< there is no call, and the next one may be the same
  Drained,    ///< there is no call, and the next one ends a gap, see drainedTicks
};

class RepeatedCalls;
struct RepeatedCall;

/// How a look goes on where the call that it looked at comes once more, see SameCalls.h.
struct SameLook {
  /// In the enter. False: no, something happened meanwhile, in this thread or another.
  bool (*again)(ThreadState &);
  /// In the leave of one that went well. False: it is to be looked at as others are.
  bool (*add)(ThreadState &);
};

/// A call that may come once more at once, or behind launches alone, with the same operands.
struct alignas(64) SameCall {
  static constexpr unsigned Slots = GPUINSTR_SLOT_KIND + 1; ///< it has no others
  RepeatedCall *call = nullptr;                             ///< the last one that may
  uint64_t slot[Slots] = {};
  SameLook look = {};
};
static_assert(sizeof(SameCall) == 64, "one cache line");

/// The driver evicts our data from L1 between launches. What a launch needs therefore lies in few
/// cache lines, and what can wait is done for many launches at once.
struct alignas(64) ThreadState {
  static constexpr uint32_t MaxDepth = 64, AttributionBits = 5, Durations = 32, OperandPlaces = 4;
  // These five are one word to FastLaunchPath.h.
  uint32_t depth = 0;
  bool busy = false; ///< inside the runtime: calls of overridden allocators pass through
  bool paused = false;
  bool notUp = true;                  ///< has not seen yet that CUDA is up
  FastPath fastPath = FastPath::None; ///< of the outermost call in progress
  RootCall root;
  Relaxed<uint32_t> numDurations;
  uint32_t stride = 1; ///< of launches, one in so many is timed on the host
  TimedCall timed;
  // What calls with operands need, in one line.
  alignas(64) std::atomic<RepeatedCalls *> repeatedCalls{nullptr}; ///< null: it made none so far
  std::shared_ptr<void> audit; ///< the auditor's call in progress and row of copies
  /// When the device had nothing to do any more, 0 unknown; `fastPath` says so as well, so that the
  /// next enter ends it. See time/idle/IdleGaps.h.
  uint64_t drainedTicks = 0;
  SiteIndex drainedBy = 0; ///< see drainedTicks
  bool drainedOneStream = false, stillDrained = false;
  bool sameInTurn = false; ///< `same` may come once more behind launches, see SameCalls.h
  uint32_t watchEpoch = 0; ///< WatchEpoch as this thread last saw it, while frequent calls are seen
  uint32_t epoch = 0;      ///< counters of an older epoch are cleared before use
  LookCosts lookCosts;     ///< what each call looks at comes first
  SameCall same;
  ExactCall exact;
  uint64_t state = 0;   ///< GlobalState as this thread last saw it
  uint64_t decoded = 0; ///< bit i: `operands` has those of frames[i], see DecodedOperands.h
  /// Ended gaps in which the device had nothing to do, [1]: only if all its work goes to one
  /// stream.
  std::array<uint64_t, 2> idleTicks = {};
  Relaxed<uint64_t> ownTicks; ///< spent in observers, for the report's own cost
  /// Of what observers spent before the call in progress: waits for the program's own work, for
  /// which the call itself would have waited.
  uint64_t waitedTicks = 0;
  StackRoom stackRoom;
  Surroundings surroundings;
  CallCapture capture;    ///< from the leave of a begin on, from the enter of an end on
  uint64_t freeing = 0;   ///< sequence of the allocation that a free in progress is about, 0 none
  uint32_t decodings = 0; ///< of operands, for tests
  alignas(64) LiveFrame frames[MaxDepth];
  SiteAttribution attributions[1 << AttributionBits]; ///< by the site's address
  Duration durations[Durations];
  uint64_t flushTicks = 0; ///< when the durations were last put where they belong
  uint32_t flushEpoch = 0; ///< WatchEpoch then
  uint32_t successes = 0;  ///< calls that succeeded before CUDA was up
  uint32_t random = 0;     ///< state of the sampling stride's generator
  RangeCache ranges;
  LastCopy lastCopy;
  uint64_t nestedStarts[MaxDepth] = {}; ///< of frames inside others: when they began
  std::vector<bool> openRanges; ///< that the program pushed: those of capture=nvtx@NAME are true
  std::vector<OpenNvtxRange> nvtxRanges; ///< the same of those that it pushed through NVTX itself
  uint64_t deeperNvtxRanges = 0;         ///< open ones that are too deep to be kept
  std::vector<OpenPhase> phases;         ///< ranges of the program in progress, see Phases.h
  uint64_t deeperPhases = 0;             ///< open ones that are too deep to be kept
  int resetDevice = -1;                  ///< that a reset in progress is about; -1 unknown
  LaunchCache launches;
  static constexpr unsigned NotedBits = 6;
  NotedKernel noted[1 << NotedBits];
  cuda::CallOperands operands[OperandPlaces]; ///< by depth modulo their number
  std::shared_ptr<void> trace;                ///< its ring of trace records, see trace/Trace.h
  uint64_t startTicks = 0; ///< of the first call, or of the fork that made the process
  bool ours = false;       ///< a background thread of the runtime's
  SiteCounters discard;    ///< where calls go that are not to be counted
  CounterTable counters;
  ThreadState *next = nullptr, *previous = nullptr; ///< all threads
  PendingErrors pending;
  uint64_t errorSeenAt = 0; ///< RootCall::start of the last call whose error the program looks at
};
static_assert(offsetof(ThreadState, lookCosts) + offsetof(LookCosts, looks) <=
                  offsetof(ThreadState, repeatedCalls) + 64,
              "one cache line");

/// Whether the thread has launched a kernel since it was last asked.
inline bool takeLaunched(ThreadState &thread) {
  return std::exchange(thread.launches.last.launched, false);
}

/// Marks the runtime busy on this thread.
class BusyScope {
public:
  explicit BusyScope(ThreadState &thread) : Thread(thread), Before(thread.busy) {
    Thread.busy = true;
  }
  BusyScope(const BusyScope &) = delete;
  ~BusyScope() { Thread.busy = Before; }

private:
  ThreadState &Thread;
  bool Before;
};

/// While it lives this thread is not cancelled: locks may be held, and the cancellation must not
/// end in a handler of exceptions. Around what may come to a cancellation point; launches do not.
class UncancelledScope {
public:
  UncancelledScope() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &Before); }
  UncancelledScope(const UncancelledScope &) = delete;
  ~UncancelledScope() { pthread_setcancelstate(Before, nullptr); }

private:
  int Before = PTHREAD_CANCEL_ENABLE;
};

// One pointer of static TLS: read without a call, and small enough for the room that the loader
// keeps for dlopen.
extern __thread ThreadState *Self __attribute__((tls_model("initial-exec")));

/// This thread's state, made on first use. nullptr when memory is out.
ThreadState *attachThread();
inline ThreadState *thisThread() {
  return __builtin_expect(Self != nullptr, true) ? Self : attachThread();
}

/// Attributions << 32 | epoch << 1 | paused. A thread that finds it changed brings itself up to
/// date.
inline constexpr std::atomic<uint64_t> &GlobalState = HotState.globalState;
void syncThread(ThreadState &thread);

/// Puts the durations where they belong.
void flushDurations(ThreadState &thread);
/// The same, and calls that were not timed. On this thread.
void countAll(ThreadState &thread);
/// The same in the middle of a run, at `now`: plans how many launches are timed from here on.
void flushAndPlan(ThreadState &thread, uint64_t now);
/// A block of timed calls has ended at `now`: how many are left out before the next.
void endBlock(ThreadState &thread, SiteAttribution &attribution, uint64_t now);
inline bool changesNode(const gpuinstr_site &site) {
  return cuda::changesNode(site.op, site.detail, site.slots);
}
/// Of such calls some are timed. Of others it may be asked when they began.
inline bool timesFew(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_LAUNCH || changesNode(site);
}
/// Of these some, where the call itself is short.
inline bool timesFewShort(const gpuinstr_site &site) {
  return site.flags & GPUINSTR_SITE_ASYNC &&
         (site.op == GPUINSTR_OP_COPY || site.op == GPUINSTR_OP_SET);
}
/// A look that is being measured has come to the call itself, at `now`.
void noteLook(ThreadState &thread, uint64_t now);
/// Of `elapsed` ticks since it was last asked, the largest share that a thread's looks at frequent
/// calls took.
double largestLoad(uint64_t elapsed);
/// xorshift, for strides that must not follow the program's own period; nothing more.
inline uint32_t nextRandom(uint32_t &state) {
  uint32_t x = state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return state = x ? x : 1;
}
inline uint32_t nextRandom(ThreadState &thread) {
  if (!thread.random)
    thread.random = uint32_t(reinterpret_cast<uintptr_t>(&thread) >> 4);
  return nextRandom(thread.random);
}
/// What the threads know of the attribution of sites does not hold any more.
void forgetAttributions();

/// The counters to attribute calls of a site to, made or cleared as needed: never null.
/// `from` is the site that ran; it differs from `site` where the call is attributed to its caller.
SiteCounters *prepareCounters(ThreadState &thread, SiteIndex site, SiteIndex from);

/// Recording rests while there is any of these.
enum class PauseReason : uint8_t { User, OutsideCapture };
void setPaused(PauseReason reason, bool paused);
bool isPaused();
/// Forgets all counts: every thread clears its own when it next comes by.
void startNewEpoch();

/// Adds up all threads, those that ended included. Any thread, at any time.
void mergeCounters(CounterTable &into);
/// Threads that made calls which were recorded, those that ended included.
unsigned threadsWithCalls();
struct OwnTicks {
  uint64_t own = 0;  ///< spent in observers, all threads together
  uint64_t life = 0; ///< from each thread's first call on
};
OwnTicks totalOwnTicks();

/// Every running thread's unasked errors. Copies: who judges them looks at modules, whose lock a
/// fork takes before the list's.
std::vector<PendingError> pendingErrors();

class Part;
Part &threadsPart();

} // namespace gpuinstr

#endif
