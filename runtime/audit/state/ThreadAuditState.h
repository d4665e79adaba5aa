// What one thread's call in progress needs until its leave.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_THREADAUDITSTATE_H
#define GPUINSTR_AUDIT_STATE_THREADAUDITSTATE_H

#include "audit/state/Auditor.h"
#include "audit/state/SourceSample.h"

namespace gpuinstr::audit {

/// Host memory that was asked about last, by page.
struct HostPages {
  static constexpr unsigned Ways = 8;
  uint64_t generation = 0;
  uint64_t page[Ways] = {};
  bool pageable[Ways] = {}, readable[Ways] = {};
};

/// What the pinned memory of an asynchronous upload holds in its enter, and what is sent of it.
enum class PinnedBytes : uint8_t {
  NotAsked,
  MayChange, ///< by what is put before the copy
  Settled    ///< the same, unless the program changes it under the copy's hands
};

/// A copy or set between its enter and its leave.
struct Transfer {
  bool active = false, captured = false;
  bool kept = false;     ///< with the graph that it was captured into
  bool unhashed = false; ///< of a batch or a graph
  bool symbolUnknown = false;
  bool waits = false;   ///< the call blocks until the bytes are there: hashes may be waited for
  bool isEarly = false; ///< ... or taken over, if they come out of pageable memory
  DeviceWorkKind work = DeviceWorkKind::Copy; ///< or Set
  CopyDirection direction = CopyDirection::Unknown;
  bool isForHost = false; ///< the host may have to wait for it before it uses one of its sides
  StreamState *stream = nullptr;
  Order order = 0;                     ///< launches of the process before it
  uint64_t entered = 0;                ///< Streams::Puts then
  uint64_t changes = 0;                ///< Auditor::changes() then; of the long way alone
  uint64_t writes = 0, hostWrites = 0; ///< writesOf() its device side then; hostWritesOf()
  Key *key = nullptr;                  ///< held by its `pending`; null where it is not judged
  bool repeat = false, interfered = false, isVoid = false;
  bool isFirst = false;    ///< Range::comesFirst(): judged without a key, too
  bool isExempt = false;   ///< a set of memory of a pool
  bool isOfHost = false;   ///< a copy within the host's memory, whatever its name says
  bool toVariable = false; ///< kernels without arguments may find there what it brings
  bool isMapped = false;   ///< a download that the host's witness alone can judge
  bool isStaged = false;   ///< a download whose bytes are sent on, and this time they are looked at
  bool looksLater = false; ///< ... whose bytes are looked at once they are known to be there
  uint64_t occurrence = 0; ///< ... which one of its key's
  Question question = Question::Same;
  uint64_t version = 0, reads = 0, notRun = 0;
  /// The key's, of a copy that is `unhashed`: others are met before it counts.
  uint64_t copyReads = 0;
  bool readerMayRun = false, writerMayRun = false; ///< of its device side, while it goes on
  bool verify = false;                             ///< a hash was agreed on
  /// A look at memory that this call has nothing to do with: another thread may free it meanwhile.
  const Key *stranger = nullptr;
  bool early = false;      ///< before a call that waits for what is before it in its stream anyway
  bool behindWork = false; ///< ... and something was under way when the look began
  uint64_t waitedNs = 0;   ///< of hostNs: for that
  uint64_t lookBytes = 0;  ///< what is hashed, at once
  bool due = false;        ///< it was this occurrence's turn to be verified
  bool isRefused = false;  ///< ... and too dear for the budget, on the device
  uint64_t taken = 0, hostNs = 0; ///< of the budget; what the verification took of this thread
  SkipReason skip = SkipReason::NoEngine;
  DeviceHasher *engine = nullptr;
  Ticket ticket = 0;
  // HashScheduling.h: counted in Auditor::underWay, in StreamState::waiting; behind a marker.
  bool announced = false, placed = false, marked = false;
  bool checked = false, unchanged = false; ///< known before the call already
  bool hasHash = false;
  ContentHash hash; ///< of the bytes as they are after the call, where known
  bool hasExpected = false;
  ContentHash expected;
  /// A download whose destination is hashed before and behind it by the host, and by nothing else;
  /// `hash` is what it held before.
  bool hostOnly = false;
  /// By a host function, another copy, or a kernel that got the memory's address: before this copy
  /// is done, or even once all is done that is put before it.
  bool hostMayChange = false, hostMayRace = false;
  uint64_t hostLo = 0, hostHi = 0;            ///< where a download goes
  bool sourceMayGo = false;                   ///< another thread may know that it is done
  bool hostLooked = false;                    ///< `hostHash` is what the host sent
  bool isGuess = false;                       ///< ... if it is what its pinned memory held then
  PinnedBytes source = PinnedBytes::NotAsked; ///< of uploads
  ContentHash hostHash;
};

/// When the host's side of a transfer is looked at again. Briefly: by audit/repeats/BriefLooks.h.
enum class SourceLook : uint8_t { NotKnown, Always, Briefly, UnlessUnscanned, Never };
/// What a brief look is for.
struct BriefLook {
  bool searches = false;       ///< for addresses
  bool mayBeUniform = false;   ///< to see whether it begins with equal elements
  bool isPageable = false;     ///< counted as one by lookForPageable()
  bool needsUnscanned = false; ///< else what it brings may hold any address, which is news
};

/// What was known when a transfer began.
struct Begun {
  Order order = 0;      ///< launches of the process before it
  uint64_t entered = 0; ///< Streams::Puts
  uint64_t writes = 0, reads = 0, notRun = 0;
};

/// A transfer that was met before: what the next one like it need not look up, nor ask the driver.
/// Good while its two sides live, and nothing is made another stream.
struct alignas(64) TransferFastPath {
  // What makes a call one like it: with linear ones' operands, two lines.
  const gpuinstr_site *site = nullptr; ///< none
  SiteIndex chargedSite = 0, caller = 0;
  uint64_t stream = 0, context = 0;
  uint64_t rangeGeneration = 0, streamGeneration = 0; ///< rangeGeneration: of any, or of the host's
  uint64_t serialThen = 0; ///< Ranges::lastSerial() when those below were right
  Countdown *left = nullptr;
  bool isBound = false; ///< to all allocations: it is not known which of them matter
  // What is known then.
  DeviceWorkKind work = DeviceWorkKind::Copy; ///< or Set
  CopyDirection direction = CopyDirection::Unknown;
  bool isForHost = false, waits = false, isEarly = false, simulated = false;
  SourceLook look = SourceLook::NotKnown;
  BriefLook brief;
  Range *range = nullptr; ///< of the device side
  Key *key = nullptr;     ///< its device side is `range`
  uint64_t slots[GPUINSTR_SLOT_DEPTH + 1] = {};
  uint64_t hostAddress = 0;
  Range *dstRange = nullptr, *srcRange = nullptr;
  StreamState *state = nullptr;
  Begun begun; ///< of the call in progress, or of a run's first
  // Seldom needed.
  RecordPlace pageable; ///< of the finding that counts such copies
  uint64_t dstSerial = 0, srcSerial = 0;
  cuda::Region dst, src;
  KeyId id;
};

/// A thread's, one for each hash: few at first, more where transfers that come again take them from
/// each other.
class FastPaths {
public:
  FastPaths() = default;
  FastPaths(const FastPaths &) = delete;
  FastPaths &operator=(const FastPaths &) = delete;
  TransferFastPath &at(uint64_t hash) { return Paths[hash >> (64 - Bits)]; }
  /// One of a transfer that came again, but had lost its own. Not while a call is in progress.
  void noteTaken();
  const TransferFastPath *begin() const { return Paths; }
  const TransferFastPath *end() const { return Paths + (size_t(1) << Bits); }

private:
  static constexpr unsigned FirstBits = 6, MostBits = 12; ///< two megabytes at most
  TransferFastPath *Paths = First;
  unsigned Bits = FirstBits, Taken = 0;
  std::unique_ptr<TransferFastPath[]> More;
  TransferFastPath First[1u << FirstBits];
};

/// What comes next shows that a wait was needless: bits.
enum QuietWait : uint8_t {
  BeforeLaunches = 1, ///< launches into the same stream
  BeforeTransfer = 2, ///< a copy or set in the same stream, directly
  BeforeFree = 4,     ///< a free of the device's memory, directly
  BeforeUnseen = 8    ///< all but the last, where `waitedNext` led to it
};
/// The call that comes next.
struct NextCall {
  const gpuinstr_frame *frame = nullptr; ///< null: not known
  SiteIndex site = 0;                    ///< of a copy or set; 0: another call
  uint64_t stream = 0;
};

struct ThreadAuditState;
/// By audit/repeats/Run.cpp: an open run of repeats ends, and what it added up counts, before
/// anyone looks at what it changes. Without the lock, whose holders have it done already.
void endRun();
/// The thread ends, and with it its default streams: another one may be at its address next.
void endStreamsOf(const void *thread);
/// In the enter of a launch of a kernel into the stream, while a run is open: it may be part of
/// that. False: nothing was done, the run is to be ended.
bool launchInRun(ThreadState &thread, const StreamState &stream);
/// ... as that thread ends.
void endRunOf(const ThreadAuditState &local);

/// The stream that was waited for last.
struct SyncPlace {
  uint64_t handle = 0, context = 0, generation = 0;
  StreamState *state = nullptr; ///< null: none
  bool isLegacy = false;
  bool ofContext = false; ///< `context` is the stream's own
};

struct alignas(64) ThreadAuditState {
  ThreadAuditState() = default;
  ThreadAuditState(const ThreadAuditState &) = delete;
  ~ThreadAuditState() {
    endRunOf(*this);
    endStreamsOf(thread);
  }
  // What events and queries touch is in one line, and what repeated copies do in three.
  uint64_t context = 0;
  /// A free in progress.
  Range *freeing = nullptr;
  uint64_t freeingSerial = 0, freeingAllocTicks = 0;
  Churn *freeingChurn = nullptr;
  /// The last call that the auditor saw, where it waited for all that this thread knows of, and how
  /// many launches there were then.
  SiteIndex waitedAt = 0, waitedCaller = 0;
  Moment syncFrom;                                  ///< of a query or synchronisation in progress
  unsigned downloadCount = 0, overwrittenCount = 0; ///< of `downloads`, of `overwritten`
  uint8_t waitedQuietly = 0;                        ///< QuietWait: of it, until the next call
  /// BeforeUnseen: whose detail says which call of the same function comes first.
  SiteIndex waitedNext = 0;
  uint64_t asked = 0; ///< the memory that it asked the driver about, and no transfer since; or 0
  TransferFastPath *path = nullptr; ///< of the call in progress
  /// Of its last run of repeats, by audit/repeats/Run.h.
  struct {
    TransferFastPath *path = nullptr; ///< while it is open
    /// At its begin, and of rounds those of theirs since; nothing else is launched until its end.
    profile::Relaxed<Order> launches{0};
    uint64_t puts = 0;      ///< Streams::Puts likewise
    uint32_t left = 0;      ///< so many more may be added
    uint32_t fruitless = 0; ///< begun in a row, and nothing was added
    uint32_t addedThen = 0; ///< to all runs, when the last one began
    bool ofRounds = false;
    // With the auditor's lock held.
    bool isAlone = false;     ///< nobody else launched or put anything up to there
    uint64_t settledPuts = 0; ///< Streams::Puts behind those that are settled
    // Of rounds.
    const RepeatedCall *call = nullptr; ///< whose entry the last one's leave found; null none
    bool isFirst = false;               ///< none was added yet
    bool hasLaunched = false;           ///< since the last one
    bool areChanged = false;            ///< each finds another version than the one before
    uint64_t writes = 0, notRun = 0;    ///< when the last one began
    /// When the last two that were added began, by the parity of `added`.
    struct {
      profile::Relaxed<uint64_t> order{0}, writes{0}, reads{0};
    } rounds[2];
  } run;
  CopyRows row;                 ///< whose begin alone each copy touches
  const void *thread = nullptr; ///< its ThreadState
  Transfer transfer;
  Order waitedOrder = 0;
  StreamState *setIn = nullptr; ///< of a set of a pool in progress
  // A synchronisation in progress.
  StreamState *syncing = nullptr; ///< where known without the lock
  bool needless = false;
  uint32_t waits = 0;            ///< synchronisations so far
  bool waitedBeforeFree = false; ///< BeforeFree: of the wait at `waitedAt`
  SyncPlace sync;
  /// What kernels, and calls, had done with memory that the host reaches, at the last wait.
  struct {
    Ranges::SharedUses uses;
    uint64_t forHost = 0;
  } shared;
  /// The last free of memory of the device alone, which waits for all that was submitted before it.
  struct {
    Order launches = 0;
    uint64_t puts = 0, context = 0; ///< 0: none
  } freed;
  /// Those of a batch in progress that have a key; all copies of a graph that is being launched.
  std::vector<Transfer> batch;
  SourceSample sample; ///< of the copy or set in progress
  /// Whose uploads a download in progress may show to be overwritten; held by their `pending`.
  static constexpr unsigned OverwrittenMost = 8;
  Key *overwritten[OverwrittenMost] = {};
  FastPaths paths;
  // What this thread's observers had cost when the governor was told last.
  uint64_t chargedTicks = 0, verifyNs = 0;
  HostPages pages;
  static constexpr unsigned DownloadsMost = 4;
  OpenDownload downloads[DownloadsMost];
};

ThreadAuditState &auditStateOf(ThreadState &thread);

/// A call that says nothing of a wait before it: launches that follow may still show that it was
/// needless. As HostCalls.cpp in the plugin.
inline bool leavesWait(unsigned op, unsigned resource) {
  return op == GPUINSTR_OP_ALLOC &&
         (resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_PITCHED);
}
/// Whatever comes next does not come directly behind the wait.
inline void endWait(ThreadAuditState &local, unsigned op, unsigned resource) {
  local.waitedQuietly &= leavesWait(op, resource) ? BeforeLaunches | BeforeUnseen : 0;
  local.waitedBeforeFree = false;
  if (!local.waitedQuietly)
    local.waitedAt = 0;
}

/// By Allocations.cpp.
void noteAllocated(const Call &call, uint64_t ticks);
/// Whether no engine was seen in the context yet.
bool mayWantEngine(const Auditor &a, uint64_t context);
/// Makes the context's engine, where the call may wait and nothing is pending that might.
void makeEngine(Auditor &a, uint64_t context);
/// False: there was none a moment ago. Asked once before each attempt.
bool isWorthTrying(Auditor &a, uint64_t context);
/// Of a context that has no engine.
void tryEngineIfIdle(Auditor &a, uint64_t context);
void beforeFree(const Call &call);
void noteFreed(const Call &call, uint64_t ticks);

/// By Syncs.cpp.
/// What a synchronisation waits for.
struct Awaited {
  explicit Awaited(const cuda::CallOperands &o)
      : op(o.op), handle(o.op == GPUINSTR_OP_SYNC_EVENT ? o.dst.address : o.stream) {}
  explicit Awaited(const gpuinstr_frame &frame)
      : op(frame.site->op), handle(op == GPUINSTR_OP_SYNC_EVENT ? slotOf(frame, GPUINSTR_SLOT_DST)
                                                                : streamHandle(frame)) {}
  unsigned op;
  uint64_t handle; ///< the event's, of all others the stream's
};
void beforeSync(ThreadState &thread, const Awaited &awaited);
/// The call behind a wait that the host had no use for: were there launches, or is this a copy or
/// set in the same stream, it was one too many.
void settleQuietWait(ThreadState &thread, ThreadAuditState &local, NextCall next);
/// BeforeUnseen: a launch begins; the first one may have been made by the function that the wait
/// led to.
void noteLaunchBehindWait(const ThreadState &thread, ThreadAuditState &local);
/// The frame of a call in its enter or leave, or null.
const gpuinstr_frame *frameOf(const Call &call);
void noteSynced(const Call &call, uint64_t ticks);

/// Round trips through pools, by Downloads.cpp: in the leave of a copy, whose key is held; after a
/// synchronisation, or a query that says "done", of a thread that has downloads open; of an upload,
/// when it is made and when its bytes are known, both with the lock held; true: it is one.
void noteDownload(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                  uint64_t ticks);
void takeDownloads(const Call &call, ThreadAuditState &local);
void noteUploadTime(Auditor &a, Key &key);
/// Downloads and uploads that use one place of the host: its bytes may be sent on unchanged.
void noteStaging(Auditor &a, Key &key);
/// The range goes: what was downloaded from it, it holds to the end, or not.
void noteFreed(Auditor &a, const Range &range);
/// What an occurrence brought that the device is not asked about; 0: it is. With the lock held.
void noteBrought(Auditor &a, const KeyId &id, uint64_t occurrence, const ContentHash &content);
bool noteSentBack(Auditor &a, Key &key, const ContentHash &content, uint64_t ticks);

/// The same through a library's pinned memory, by Deliveries.cpp: in the leave of a download,
/// before which the thread asked about `target`.
void noteDelivery(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                  uint64_t target);

/// Batches of copies, by Batches.cpp.
void beforeBatch(const Call &call, ThreadAuditState &local);
void afterBatch(const Call &call, ThreadAuditState &local, uint64_t ticks);

/// By Allocations.cpp: memory that a copy or set uses. With the lock held.
void noteTransferUse(Auditor &a, const Call &call, Range *dst, Range *src);

/// Copies, sets and prefetches, by TransferBefore.cpp and TransferAfter.cpp.
void beforeTransfer(const Call &call);
void afterTransfer(const Call &call);

/// The same call with other operands.
inline Call withOperands(const Call &call, const cuda::CallOperands &operation) {
  return {operation,   call.site,   call.thread, call.chargedSite,
          call.caller, call.result, call.failed};
}

/// The fast path of transfers that were met before, by TransferFastPath.cpp. False: the long way.
bool beforeFastPath(const Call &call, ThreadAuditState &local);
/// The leave of a call for which beforeFastPath() was true.
void afterFastPath(const Call &call, ThreadAuditState &local);
/// ... of one that is counted, but whose source has something to say.
void lookAtSourceAgain(const Call &call, ThreadAuditState &local);
/// The call went the long way: the next one like it may not need to. With the lock held.
void openFastPath(Auditor &a, const Call &call, ThreadAuditState &local, const Transfer &t);
/// For tests: every transfer goes the long way.
inline constexpr bool &FastPathsClosed = AuditHot.fastPathsClosed;

/// What the occurrence means for its key and for the others of the same memory; `t.key` and what
/// was known before the call is filled in. With the lock held.
void meet(Auditor &a, const Call &call, Transfer &t, Range *dst, Range *src);
/// What a write does to the other transfers of the allocation, all but `own`, of which it is an
/// occurrence; what it buries unread. With the lock held, as the next.
void noteWrite(Auditor &a, SiteIndex site, Range &range, const cuda::Region &region,
               const StreamState &stream, Key *own = nullptr, bool ownReaderMayRun = false);
/// Sets of memory that a pool hands out, at `address`, are not judged: by PoolSets.cpp.
bool isExempt(const Auditor &a, const Transfer &t, Range *dst, uint64_t address);
/// Of a copy, by where the memory lies; where that is not known, as spelled.
CopyDirection directionOf(const cuda::CallOperands &operation, const Range *dst, const Range *src);
/// A copy between the host and a device.
inline bool isWithHost(CopyDirection direction) {
  return direction == CopyDirection::HostToDevice || direction == CopyDirection::DeviceToHost;
}

/// Counts a transfer that went well and whose bytes the device was not asked for. Lock held.
void countTransfer(Auditor &a, Transfer &t, uint64_t ticks);
/// As meet(), of a copy in a batch or a graph, which the device is not asked about; `judged`: the
/// host's bytes may be. What it uploads is not searched for addresses: it may hold any.
void meetUnhashed(Auditor &a, const Call &call, Transfer &t, bool judged);
/// Counts a copy that went well. With the lock held.
void settle(Auditor &a, const Call &call, ThreadAuditState &local, Transfer &t, uint64_t ticks);
void settle(Auditor &a, const Call &call, ThreadAuditState &local, Transfer &t, uint64_t ticks,
            const Reading &reading, bool arrived);

/// A copy of memory onto itself.
bool isOntoItself(const cuda::CallOperands &operation);

/// The key of a transfer, made when it is new; null where its device side is no linear allocation,
/// or nothing is to be recorded. With the lock held.
Key *findKey(Auditor &a, const Call &call, Transfer &t, Range *dst, Range *src);

/// The host's witness, by HostLook.cpp: hashes what an upload sent, where the device is not looked
/// at. In the leave, without the lock.
void lookAtHost(const Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                uint64_t ticks);
/// ... what that says; before the occurrence is counted. With the lock held, as the next two.
void takeHostLook(Auditor &a, Transfer &t, bool judged);
void keepHostLook(Key &key, const ContentHash &hash);
/// Kernels write it, by their code: then the host may have to bring it back. Kept with its range.
bool isWritten(const Key &key);
/// These bytes went to the key's region: were they sent before? `counts`: that would be news.
/// `isShown`: the device was seen to hold them there.
void noteSent(Auditor &a, Key &key, const ContentHash &content, uint64_t version, bool counts,
              uint64_t ticks, bool isShown = false);
/// In the leave of a synchronisation, without the lock: what was guessed is compared with the
/// device, which has it by now.
void confirmGuesses(Auditor &a, const Call &call, ThreadAuditState &local);
/// Likewise: has a look at what Auditor::rewritten names, if nothing is under way.
void lookAtRewritten(Auditor &a, const Call &call, ThreadAuditState &local);
/// The call took so long (1 ms) that one occurrence is worth a finding.
bool isLong(uint64_t ticks);
/// As afford(); the first looks at a key may take from what is earned later.
bool affordLook(const Auditor &a, Key &key, uint64_t ns);
/// What a look at host memory costs, besides its bytes.
constexpr uint64_t LookNs = 500;

/// Smaller uploads of equal elements are not worth a memset.
constexpr uint64_t UniformLeast = 65536;

/// By PinnedSource.cpp: `source` is where it lies. With the lock held.
void noteSource(const Auditor &a, Transfer &t, const Range *source);
/// ... the driver may know more than the program has shown. In the enter, without the lock.
void askForSource(Auditor &a, const Call &call, Transfer &t);

/// Uploads and sets that kernels overwrite unread, by Overwritten.cpp. In the leave, without the
/// lock: takes some elements of what was written.
void sampleSource(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t);
/// ... with the lock held, once the occurrence is counted.
void keepSample(Auditor &a, ThreadAuditState &local, Key &key);
/// Before a download counts as a read, with the lock held: what it may show.
void findOverwritten(Auditor &a, const Call &call, ThreadAuditState &local, const Transfer &t,
                     Range *src);
/// In its leave, without the lock.
void judgeOverwritten(Auditor &a, const Call &call, ThreadAuditState &local);
/// Before a free that waits: where kernels read it, too, once others had overwritten it.
void lookAtOverwritten(Auditor &a, const Call &call, ThreadAuditState &local);

SkipReason skipOf(EnqueueResult why);
/// Whether the budget has room for it: then it is taken.
bool afford(const Auditor &a, uint64_t ns);
/// ... at a line that goes through ever new buffers so fast that the budget refuses looks at them
/// anyway: from a quarter of it, for more of the same is no news.
bool affordSpared(const Auditor &a, uint64_t ns);
/// A look at the key took so much more than it was to.
void correctLook(const Auditor &a, const Key &key, int64_t ns);
/// The budget is told what the observers of this thread cost since the last time.
void chargeOwnTime(ThreadAuditState &local, const ThreadState &thread);
/// ... and what a verification really took.
void chargeVerification(const Auditor &a, ThreadAuditState &local, const Transfer &t);
/// ... and a look that no transfer has asked for; `ns`: since it began.
void chargeLook(const Auditor &a, ThreadAuditState &local, const Transfer &look, uint64_t ns);
/// When the key is to be looked at again. With the lock held.
void schedule(Key &key, bool verified);
/// Puts the hash in front of the copy, or finds the answer on the host. Without the lock.
void startHashes(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t);
/// After a download that the host alone judges: its destination's bytes are final, or it is not
/// judged. Without the lock.
void finishHostOnly(ThreadAuditState &local, const Call &call, Transfer &t);

/// An asynchronous copy from memory that is read when the stream gets there.
bool isReadLater(ThreadAuditState &local, const cuda::CallOperands &operation);
/// What the host side of a copy that went well shows: equal elements, ordinary memory in an
/// asynchronous copy, addresses that kernels may find.
void lookAtSource(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t,
                  uint64_t ticks);
/// When that has anything to say of the repeats, while nothing is allocated or freed.
SourceLook lookOf(ThreadAuditState &local, const Call &call, const Transfer &t, BriefLook &brief);
/// Small uploads are searched for addresses each time.
constexpr uint64_t ScanAlways = 1024;
/// Whether another buffer was filled from the same place: the device compares the two.
void compareTwins(Auditor &a, const Call &call, Transfer &t);

/// Whether the host may read there: ordinary, pinned or registered memory.
bool hostReadable(ThreadAuditState &local, uint64_t address);
/// Whether the copy's host side is ordinary memory.
bool hostPageable(ThreadAuditState &local, uint64_t address);
bool isTakenOver(ThreadAuditState &local, uint64_t source); ///< of an upload whose call is back
/// Each page of it may be read now, without a fault that the program's handlers would see. Before a
/// call: its pointers may be wrong.
bool hostAnswers(const cuda::Region &region);

} // namespace gpuinstr::audit

#endif
