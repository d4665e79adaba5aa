// Which transfers and allocations were wasted: the auditor's state, and the calls it looks at.
// SPDX-License-Identifier: Apache-2.0
//
// One lock guards the state; the driver is never called with it held. What a call in progress needs
// until its leave lies with its thread.
#ifndef GPUINSTR_AUDIT_STATE_AUDITOR_H
#define GPUINSTR_AUDIT_STATE_AUDITOR_H

#include "audit/lifetime/Lifetimes.h"
#include "audit/lifetime/RoomToKeep.h"
#include "audit/ordering/GraphWork.h"
#include "audit/state/AdviceDetectors.h"
#include "audit/state/SentContents.h"
#include "audit/state/TransferHistory.h"
#include "audit/state/WasteFindings.h"
#include "base/locks/InlineMutex.h"
#include "calls/Observer.h"
#include "calls/budget/OverheadBudget.h"
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::audit {

struct KeyIdHash {
  size_t operator()(const KeyId &k) const {
    uint64_t h = k.site * 0x9e3779b97f4a7c15u ^ k.dst;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + k.bytes;
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebu + k.src + k.serial * 0xd6e8feb86659fd93u;
    return h ^ (h >> 29);
  }
};

/// What a verification compares when its hashes have arrived.
enum class Question : uint8_t {
  Same,    ///< before and after, for Key::same
  First,   ///< before and after the first copy within the device: Key::isFirstNoop
  Round,   ///< ... for Key::round
  Again,   ///< after against `expected`
  Content, ///< after alone
  Source,  ///< before is what a download takes, against Key::asked
  Guess,   ///< after against `expected`: Key::guess
  Closing, ///< after against Key::seen: what the repeats behind it left
  Twin     ///< before is the twin's bytes, after the key's
};

/// The occurrence of a key that is looked at.
struct Looked {
  uint64_t occurrence = 0, version = 0;
  bool isQuiet = false; ///< nothing may have written since the one before
};

struct Pending {
  DeviceHasher *engine = nullptr;
  Ticket ticket = 0;
  Key *key = nullptr; ///< null: nobody asks for the answer, but its stream is not free of it yet
  Question question = Question::Same;
  bool placed = false; ///< counts in StreamState::waiting
  Looked at;
  ContentHash expected;
  uint16_t stream = 0;
  Order order = 0;     ///< of the last launch then, of the process
  uint64_t hashes = 0; ///< that the stream had got, with this pair; 0: it has no copy between
  uint64_t hostLo = 0, hostHi = 0; ///< where a download goes
  bool raced = false;              ///< ... and another that nothing orders
  void noteHostWrite(Streams &streams, const StreamState &by, uint64_t lo, uint64_t hi);
};

/// What an upload went to, when that was freed last.
struct LastContent {
  bool freed = false; ///< unmodified, with this content
  bool seen = false;  ///< ... which was looked at then
  ContentHash content;
  SiteIndex freeSite = 0;
  uint64_t serial = 0;  ///< of the buffer
  uint64_t freedAt = 0; ///< Key::freedAt
};

/// The last upload of a size at a site.
struct LastUpload : LastContent {
  uint64_t count = 0;
  uint32_t news = 0;  ///< looks at what had not been sent before
  uint64_t parts = 0; ///< different ones of its buffers
  /// Destinations that live, but for pieces of pools, and the most that did at a time: of one
  /// thread, or of several. So many would have had to be filled in any case.
  uint64_t live = 0, mostLive = 0;
  /// What was sent last. Of more contents than these, a program may lack the room to keep them.
  static constexpr unsigned Kept = 8;
  ContentHash lately[Kept];
  unsigned next = 0;

  /// True: it was sent lately. Else it is from now on.
  bool isAgain(const ContentHash &sent) {
    for (const ContentHash &one : lately)
      if (one == sent)
        return true;
    lately[next++ % Kept] = sent;
    return false;
  }
};

/// A site and a size: what LastUpload is kept by.
inline uint64_t uploadKey(SiteIndex site, uint64_t bytes) { return uint64_t(site) << 40 ^ bytes; }
inline uint64_t uploadKey(const Key &key) { return uploadKey(key.id.site, key.id.bytes); }
/// ... and a place in an allocation, of which the upload fills a part; 0: all of it.
uint64_t partOf(const Key &key);

/// With the lock held: settles the repeats of an open run, and ends it. By audit/repeats/Run.cpp.
void settleRun();

/// Who holds it sees all that happened: of a run of repeats, too.
class AuditMutex {
public:
  void lock() {
    Mutex.lock();
    if (__builtin_expect(AuditHot.runIsOpen.load(std::memory_order_relaxed), false))
      settleRun();
  }
  void unlock() { Mutex.unlock(); }

private:
  InlineMutex Mutex;
};

class alignas(64) Auditor {
public:
  // What an allocation and its free look at comes first.
  AuditMutex mutex;
  /// Held while hashes, markers and waits for them go in; taken before `mutex`.
  InlineMutex placing;
  /// The options and the surroundings have been looked at: what decide() sets can be read.
  std::atomic<bool> decided{false};
  bool active = true;    ///< false: audit=off, nothing at all is looked at
  bool verifies = false; ///< bytes are compared
  bool full = false;
  bool transferSeen = false; ///< a copy or set went well
  /// Of `ranges.launches`, those that are no launch; copies and sets whose destination is not the
  /// host's.
  uint64_t notLaunches = 0, writes = 0;
  /// Host and kernels may meet in memory whose uses are not followed.
  std::atomic<bool> sharesMemory{false};
  /// The pool that the program named last whose memory is the device's alone; 0 none.
  std::atomic<uint64_t> devicePool{0};
  Order launchesBefore = 0; ///< of the parent, in a forked child
  /// The context that an engine was seen in last: allocations need not ask for it. 0: none.
  std::atomic<uint64_t> engineIn{0};
  /// The one that could have none when it was asked for last, and calls since: of many one asks
  /// anew.
  std::atomic<uint64_t> noEngineIn{0};
  std::atomic<uint32_t> noEngineCalls{0};
  /// Seen so far: while there is one alone, threads need not be asked for theirs.
  uint64_t onlyContext = 0;
  std::vector<std::unique_ptr<Key>> retired; ///< their range is freed, an answer is still to come
  std::vector<Pending> pending;
  Streams streams;
  Ranges ranges;
  WasteFindings waste;
  AdviceDetectors advice;
  Lifetimes lifetimes;
  RoomToKeep room;
  std::unordered_map<KeyId, std::unique_ptr<Key>, KeyIdHash> keys;
  /// By uploadKey(): buffers that are gone. One made anew has had the first looks of one of them,
  /// so that a line's share of that purse does not grow with the buffers that it goes through.
  struct Ended {
    uint32_t keys = 0;
    uint8_t firstLooks = 0; ///< the most that one of them had
    uint32_t refusals = 0;  ///< where the last one's looks were refused to its end: the next one's
    bool byBudget = false;  ///< ... and the last of them by the budget
    void note(const Key &key) {
      ++keys;
      firstLooks = std::max(firstLooks, key.firstLooks);
      refusals = !key.isRefused ? 0 : key.isDense ? Key::VeryPatient : Key::Patient;
      byBudget = key.isRefused && key.refused == SkipReason::Budget;
    }
  };
  std::unordered_map<uint64_t, Ended> ended;
  mutable OverheadBudget spared{0, 0};              ///< a quarter of the budget: see affordSpared()
  std::unordered_map<uint64_t, LastUpload> uploads; ///< by site and size
  /// Of uploads that fill parts, by partOf(): the next buffer's parts are compared with the same
  /// ones of the last.
  std::unordered_map<uint64_t, LastContent> parts;
  static constexpr size_t MaxParts = 4096;
  void noteDestination(const Key &key); ///< a new one, of an upload
  void noteGone(const Key &key) {
    if (auto it = uploads.find(uploadKey(key)); it != uploads.end() && !key.isPiece)
      it->second.live -= it->second.live != 0;
  }
  /// What was sent, and what came back.
  void forgetContents() {
    uploads.clear();
    parts.clear();
    sent.clear();
    returned.clear();
  }
  /// How many uploads of a line and size nobody can have sent before; of too many parts, no number.
  uint64_t firstsOf(SiteIndex site, uint64_t bytes) const;
  /// What the key gets, bytes that were there before what held them was freed at `freedAt`; 0: got
  /// others.
  static Resent resent(const Key &key, const ContentHash &content, uint64_t freedAt);
  /// Null: nothing is known.
  LastContent *lastContentOf(const Key &key);
  /// Of what kernels have rewritten, as far as their code tells (Key::rewrites): a look is due once
  /// nothing is under way.
  std::atomic<Key *> rewritten{nullptr};
  /// Guesses that wait for a synchronisation.
  struct OpenGuess {
    Key *key; ///< held by its `pending`
    StreamState *stream;
    Order order; ///< launches before the copy
    uint64_t occurrence;
    ContentHash expected;
  };
  std::vector<OpenGuess> guesses;
  std::atomic<uint32_t> openGuesses{0}; ///< guesses.size()
  SentContents sent;
  ReturnedContents returned;
  std::vector<Delivery> deliveries;                    ///< the newest few that nobody looked at yet
  unsigned deliveryLooks = 0;                          ///< from the purse that first looks have
  std::unordered_map<uint64_t, uint32_t> uniformLooks; ///< by site and size
  std::unordered_map<uint64_t, uint32_t> sampled;      ///< by uploadKey(): SourceSamples
  size_t samplesKept = 0;
  GraphWorks graphs;
  CaptureTrust captureTrust;
  /// By host address and size: what was uploaded from there last.
  std::unordered_map<uint64_t, Key *> bySource;

  std::string note; ///< why audit is off though nobody switched it off

  static constexpr std::atomic<bool> &severalContexts = AuditHot.severalContexts;
  void noteContext(uint64_t context); ///< with the lock held

  /// Verifications whose hashes go into a stream, or wait in one. What is launched while it is not
  /// 0 looks where: HashScheduling.h.
  static constexpr std::atomic<uint32_t> &underWay = AuditHot.underWay;
  StreamState *markerOwner[DeviceHasher::Markers] = {};
  static constexpr std::atomic<bool> &severalThreads = AuditHot.severalThreads; ///< call CUDA
  std::atomic<ThreadState *> onlyThread{nullptr}; ///< the first of them
  std::atomic<bool> collectives{false};           ///< kernels of NCCL and the like may be waiting
  /// A copy into pageable memory was seen to go on behind its call.
  std::atomic<bool> pageableIsLate{false};
  /// Programs that run kernels side by side get no hashes behind asynchronous calls.
  std::atomic<bool> sideBySide{false};

  /// Once, at the first call of CUDA that it sees, of whichever thread. Called without the lock.
  void decide();
  bool workSeen() const { return transferSeen || ranges.launches.load() > launchesBefore; }

  // All of these with the lock held.
  uint64_t version(const Key &key) const { return ranges.writesOf(*key.range) + key.copyWrites; }
  /// Rises when any memory of any device may have been written.
  uint64_t changes() const { return ranges.launches.load() - notLaunches + writes; }
  /// `isFirst`: of a new one, Range::comesFirst().
  Key *keyFor(const KeyId &id, Range &range, const cuda::Region &region, bool &isFirst);
  /// Before the keys of a transfer are looked for: of allocations that are filled by pieces, but
  /// used as a whole, a few places are kept.
  void limitPlaces(Range *dst, Range *src) {
    for (Range *range : {dst, src})
      if (__builtin_expect(range && isOverrun(*range), false))
        keepFewPlaces(*range);
  }
  /// Behind a look at all that a transfer touches.
  void notePlacesSeen(const Range &range) {
    if (__builtin_expect(isOverrun(range), false))
      closeFastPaths(); // the next one limits them
  }
  /// The region held `before`, and after the look `after`: a repeat that was not looked at is
  /// counted as a change where the two looks show one.
  void noteSeen(Key &key, const ContentHash &before, const ContentHash &after, const Looked &at);
  /// Takes in what a verification learnt.
  void answer(Key &key, Question question, const Reading &reading, const ContentHash &expected,
              const Looked &at);
  /// Takes in the answers that have arrived.
  void poll() {
    if (__builtin_expect(!pending.empty() || !retired.empty(), false))
      takeAnswers();
  }
  /// The allocation is gone: freed by the program (`freeSite`), or with its context (0).
  void releaseRange(Range &range, SiteIndex freeSite, uint64_t ticks);
  /// Whether the memory is an allocator's, which hands out pieces of it: asked while the ledger
  /// knows it, kept when it is freed.
  static bool isOfPool(Range &range);
  /// Looks at uploads of a line and size that found what had not been sent before, but the first.
  uint64_t newsOf(SiteIndex site, uint64_t bytes) const;
  void dropContext(uint64_t context);
  void clear();

  bool areTwins(const Key &key) const;

private:
  void settleTwins(Key &key);
  void retire(Key &key, SiteIndex freeSite);
  void leaveRange(Key &key, SiteIndex freeSite);
  /// An allocator's memory meets ever other pieces: those that came first make room.
  void forgetPieces(Range &range);
  void keepFewPlaces(Range &range);
  static bool isOverrun(const Range &range) {
    return range.keys.size() > KeyIndex::From && range.keyIndex && range.keyIndex->isOverrun();
  }
  /// They may hold keys.
  void closeFastPaths() {
    ranges.generation.fetch_add(1, std::memory_order_release);
    ranges.hostGeneration.fetch_add(1, std::memory_order_release);
  }
  void dropGuess(Key &key);
  void noteEnded(const Key &key);
  void succeedEnded(Key &key);
  bool mayHaveRaced(const Pending &pending);
  bool takeAnswer(const Pending &pending);
  void takeAnswers();
  void finishPending(const Pending &pending);
};

Auditor &auditor();

/// Adds the observer, as the options say. Once, from startRuntime.
void startAuditor();
/// For tests and forked children: nothing happened yet.
void resetAuditor();

/// The thread's context as of its last call that is not a launch.
uint64_t contextOf(ThreadState &thread);

/// What a launch tells the auditor, from startAuditor on.
inline void (*OnLaunch)(ThreadState &, const gpuinstr_frame &) = nullptr;

/// In place of currentEngine, for tests.
extern DeviceHasher *(*EngineSource)(bool create);

} // namespace gpuinstr::audit

#endif
