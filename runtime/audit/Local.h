// What one thread's call in progress needs until its leave.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_LOCAL_H
#define GPUINSTR_AUDIT_LOCAL_H

#include "audit/Auditor.h"

namespace gpuinstr::audit {

/// Host memory that was asked about last, by page.
struct HostPages {
  static constexpr unsigned Ways = 8;
  uint64_t generation = 0;
  uint64_t page[Ways] = {};
  bool pageable[Ways] = {}, readable[Ways] = {};
};

/// A copy or set between its enter and its leave.
struct Transfer {
  bool active = false, captured = false;
  bool symbolUnknown = false;
  bool waits = false; ///< the call blocks until the bytes are there: hashes may be waited for
  Direction direction = Direction::Unknown;
  StreamState *stream = nullptr;
  Order order = 0;    ///< launches of the process before it
  Key *key = nullptr; ///< held by its `pending`; null where it is not judged
  bool repeat = false, interfered = false, isVoid = false;
  Question question = Question::Same;
  uint64_t version = 0, reads = 0, notRun = 0;
  bool readerMayRun = false;
  bool verify = false; ///< a hash was agreed on
  Skip skip = Skip::NoEngine;
  Engine *engine = nullptr;
  Ticket ticket = 0;
  // Placement.h: counted in Auditor::underWay, in StreamState::waiting; behind a mark.
  bool announced = false, placed = false, marked = false;
  bool checked = false, unchanged = false; ///< known before the call already
  bool hasHash = false;
  ContentHash hash; ///< of the bytes as they are after the call, where known
  bool hasExpected = false;
  ContentHash expected;
};

struct Local {
  uint64_t context = 0;
  Transfer transfer;
  CopyRow row;
  HostPages pages;
  /// The stream of the last transfer.
  uint64_t streamHandle = ~uint64_t(0), streamContext = 0, streamGeneration = 0;
  StreamState *stream = nullptr;
  /// The last transfer's allocations and key: the next is often the same one again.
  uint64_t rangeGeneration = 0, dst = 0, src = 0;
  Range *dstRange = nullptr, *srcRange = nullptr;
  Key *key = nullptr;
  /// A free in progress.
  Range *freeing = nullptr;
  uint64_t freeingSerial = 0;
  /// A synchronisation in progress.
  Order syncOrder = 0;
  bool needless = false;
};

Local &localOf(core::ThreadState &thread);

/// Copies, sets and prefetches, by TransferBefore.cpp and TransferAfter.cpp.
void beforeTransfer(const core::Call &call);
void afterTransfer(const core::Call &call);

/// The same call with other operands.
inline core::Call withOperation(const core::Call &call, const core::Operation &operation) {
  return {operation,   call.site,   call.thread, call.chargedSite,
          call.caller, call.result, call.failed};
}

/// The device side.
const core::Region &regionOf(const Key &key, const core::Operation &operation);

/// The key of a transfer, made when it is new; null where its device side is no linear allocation,
/// or nothing is to be recorded. With the lock held.
Key *findKey(Auditor &a, const core::Call &call, const Transfer &t, Range *dst, Range *src);

Skip skipOf(Refusal why);
/// Whether the budget has room for it: then it is taken.
bool afford(const Auditor &a, uint64_t ns);
/// Puts the hash in front of the copy, or finds the answer on the host. Without the lock.
void startHashes(Auditor &a, Local &local, const core::Call &call, Transfer &t);

/// What the host side of a copy that went well shows: equal elements, ordinary memory in an
/// asynchronous copy, addresses that kernels may find.
void lookAtSource(Auditor &a, Local &local, const core::Call &call, const Transfer &t,
                  uint64_t ticks);
/// Whether another buffer was filled from the same place: the device compares the two.
void compareTwins(Auditor &a, const core::Call &call, Transfer &t);

/// Whether the host may read there: ordinary, pinned or registered memory.
bool hostReadable(Local &local, uint64_t address);
/// Whether the copy's host side is ordinary memory.
bool hostPageable(Local &local, uint64_t address);
/// The first and last byte answer. Before a call: its pointers may be wrong.
bool hostAnswers(const core::Region &region);

} // namespace gpuinstr::audit

#endif
