// Advice that needs no bytes: repeated allocations, rows of small copies, needless waits.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_ADVICEDETECTORS_H
#define GPUINSTR_AUDIT_STATE_ADVICEDETECTORS_H

#include "audit/lifetime/RoomToKeep.h"
#include "audit/state/WasteFindings.h"
#include "calls/Observer.h"
#include <unordered_map>

namespace gpuinstr::audit {

/// A row of copies in one direction, of one thread.
struct CopyRow {
  static constexpr unsigned MaxPlaces = 32; ///< no row has more before it is told

  CopyDirection direction = CopyDirection::Unknown; ///< no row
  uint64_t count = 0, bytes = 0, ticks = 0;
  SiteIndex site = 0, caller = 0; ///< of the first; once told, of the line that makes most of them
  uint64_t launches = 0;          ///< Ranges::launches at the last: other threads launch, too
  RecordPlace record;             ///< of its finding, once there is one
  bool isTold = false;            ///< it is part of the finding
  bool allocates = false;         ///< between some of its copies, before that
  bool isMixed = false;           ///< ... or copies the other way

  void begin(CopyDirection towards, SiteIndex by, SiteIndex from, uint64_t launched) {
    direction = towards;
    count = bytes = ticks = 0;
    site = by;
    caller = from;
    launches = launched;
    isTold = allocates = isMixed = false;
    numPlaces = 0;
  }
  void end() { direction = CopyDirection::Unknown; }

  /// Before it is told: the line made so many of them.
  void noteLine(SiteIndex by, SiteIndex from, uint64_t times);
  /// The first of the lines that made most of them so far gives its name.
  void takeName();

private:
  struct Place {
    SiteIndex site, caller;
    uint64_t times;
  };
  unsigned numPlaces = 0;
  Place places[MaxPlaces] = {}; ///< in order; those behind numPlaces are of earlier rows
};

/// The row that goes on, and one the other way beside it: element by element, a loop may fetch one
/// and send the next.
class CopyRows {
public:
  CopyDirection direction = CopyDirection::Unknown; ///< of the last copy; no row: none goes on

  void end() { direction = CopyDirection::Unknown; }
  /// Between two copies. Memory for the next upload is part of what one buffer would spare.
  void noteAllocation(unsigned resource) {
    const bool isPlain = resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_PITCHED;
    CopyRow &uploads = of(CopyDirection::HostToDevice);
    if (!isPlain || direction != CopyDirection::HostToDevice || !uploads.count)
      return end();
    uploads.allocates |= !uploads.isTold;
    of(CopyDirection::DeviceToHost).end();
  }
  CopyRow &of(CopyDirection towards) { return Both[towards != CopyDirection::HostToDevice]; }
  /// A copy that does not go on as the last one did.
  void turn(CopyDirection towards, SiteIndex by, SiteIndex from, uint64_t launched);

private:
  CopyRow Both[2];
};

/// What one buffer lives through at a place: whether it would do for all that live there.
struct Lives {
  SiteIndex freeSite = 0;
  uint64_t context = 0;
  bool overlapped = false;
  bool lacksRoom = false; ///< once, the device had none to keep it: others were made meanwhile
  uint64_t live = 0, cycles = 0, ticks = 0;
  uint64_t freedAt = 0; ///< Ranges::lastSerial() at the last free; 0: none yet

  void begin() { overlapped |= live++ != 0; } // of two at the same time, no single one would do
  /// False: it was not alone.
  bool end(SiteIndex by);
  /// The context is gone, and what lived in it: no buffer outlasts that. Fewer cycles than `least`
  /// are none.
  void leaveContext(uint64_t least);
};

/// Allocations of any sizes at one place and on one device. A cycle counts where a buffer that
/// grows by a quarter at least, each time it is too small, would have done.
struct SizesChurn : Lives {
  SiteIndex site = 0, caller = 0;
  uint16_t resource = 0;
  bool fits = false; ///< the one that lives
  uint64_t room = 0, largest = 0, bytes = 0;

  void begin(uint64_t size);
  void end(uint64_t size, SiteIndex freedAt, uint64_t ticksOfBoth);
};

/// Allocations of one size at one place and on one device, by one thread or by all.
struct alignas(64) Churn : Lives {
  SiteIndex site = 0, caller = 0;
  uint64_t bytes = 0;
  uint16_t resource = 0;
  const ThreadState *thread = nullptr;
  Churn *all = nullptr;        ///< of one thread's: those of all threads
  SizesChurn *sizes = nullptr; ///< of all threads': the place's
  /// When the thread began: another one may have its state where an ended one had it.
  uint64_t since = 0;
  uint64_t earlierCycles = 0, earlierTicks = 0; ///< of such that had enough of their own

  void end(SiteIndex freedAt, uint64_t ticksOfBoth);
  /// Of one thread: another one has its place from now on.
  void handOver(uint64_t startTicks);
};

class AdviceDetectors {
public:
  /// Cycles of allocation and free at one place, by the thread, which stay; null: there are too
  /// many.
  Churn *allocated(const Range &range, const ThreadState &thread);
  void freed(Churn *churn, SiteIndex freeSite, uint64_t ticksOfBoth);
  /// Of much memory, once it is made: whether the one before it could have been kept.
  static void noteRoom(Churn &churn, const Range &made, const RoomToKeep &room);
  /// The same of arrays, streams, executable graphs and what libraries make, which have no address:
  /// the range says where and how large.
  void handleMade(uint64_t handle, const Range &range, const ThreadState &thread);
  void handleGone(unsigned resource, uint64_t handle, SiteIndex freeSite, uint64_t ticks);
  void dropContext(uint64_t context);
  /// A synchronisation that had nothing to wait for.
  void needless(const Call &call, uint64_t ticks);
  /// One directly before a free that waits for the device, too.
  void needlessBefore(SiteIndex freeSite, SiteIndex site, SiteIndex caller);
  /// One that was followed by launches, which would have waited in their stream.
  void needlessBetween(SiteIndex site, SiteIndex caller);
  /// alloc-churn and needless-sync as of now; the latter not where unseen code has work of its own.
  void flush(WasteFindings &waste, bool unseenCode) const;
  void clear();

private:
  struct Wait {
    SiteIndex site = 0, caller = 0;
    SiteIndex freeSite = 0; ///< the call behind it waits, too; as `site`: launches do
    uint64_t count = 0, ticks = 0;
  };
  struct LiveHandle {
    Churn *churn = nullptr;
    uint64_t context = 0, ticks = 0;
  };
  /// Those that are told of one size, by place.
  using ToldOfSize = std::unordered_map<const SizesChurn *, uint64_t>;
  Churn *churnAt(const Range &range, const ThreadState *thread);
  SizesChurn *sizesAt(const Range &range);
  void flushChurns(WasteFindings &waste) const;
  void flushSizes(WasteFindings &waste, ToldOfSize &told) const;

  /// By site, caller, context and size, and by these and thread; ranges point there.
  std::unordered_map<uint64_t, Churn> Churns;
  std::unordered_map<uint64_t, SizesChurn> Sizes;   ///< by site, caller and context; stay as well
  Churn *Last = nullptr;                            ///< that something was allocated at
  std::unordered_map<uint64_t, LiveHandle> Handles; ///< by kind and handle
  std::unordered_map<uint64_t, Wait> Waits;         ///< by site, caller and the free behind it
};

/// Copies that just went well; adds small-copies to the waste.
void continueRow(CopyRows &rows, SiteIndex site, SiteIndex caller, const Alike &copies,
                 CopyDirection direction, WasteFindings &waste);

/// Word after word of equal elements, of 1, 2, 4 or 8 bytes each, but for a few.
class UniformPattern {
public:
  static constexpr unsigned Few = 16; ///< words that may differ
  static constexpr uint64_t Head = 4096;

  /// False: find() finds none there.
  static bool mayBegin(const char *data) {
    return std::memcmp(data + At, data + At + 4, 8) == 0 ||
           std::memcmp(data + At, data + At + 8, 16) == 0;
  }
  /// From the first Head bytes; of data that has no more than `bytes`, from all. False: there is
  /// none.
  bool find(const char *data, uint64_t bytes = Head);
  /// How many of the words, from that place on, are others; stops above Few.
  uint64_t others(const char *data, uint64_t bytes) const;
  /// Whether it is uniform at so many places all over it, but for one. At least Head bytes.
  bool isAlike(const char *data, uint64_t bytes, uint64_t places) const;
  /// 4; 8 where no smaller element does.
  unsigned wordBytes() const { return Word; }

private:
  static constexpr unsigned At = 256; // not at the very start: that is where exceptions are
  unsigned Word = 4;
  char Block[Head];
};

} // namespace gpuinstr::audit

#endif
