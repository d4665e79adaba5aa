// The records of one context's hashes: slots in host memory that the device fills.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/HashRecords.h"
#include "base/OwnMemory.h"
#include <sys/mman.h>

namespace gpuinstr::audit {

namespace {

constexpr uint32_t IndexBits = 10, SlotBits = IndexBits + 1;
static_assert(Records::Count == 1u << IndexBits, "a ticket's low bits are its index");

Ticket ticketOf(uint32_t index, uint64_t generation) {
  return Ticket(generation << IndexBits | index);
}
uint32_t indexOf(Ticket ticket) { return ticket & (Records::Count - 1); }

} // namespace

bool Records::create() {
  if (Slots) { // what its former context left under way does not come any more
    for (Record &r : All)
      r.state.store(Free, std::memory_order_relaxed);
    for (std::atomic<uint64_t> &p : Pending)
      p.store(0, std::memory_order_relaxed);
    return true;
  }
  void *memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  Slots = static_cast<hash::Result *>(memory);
  noteOwnMapping(int64_t(bytes()));
  return true;
}

bool Records::holds(uint32_t slot, uint64_t stamp, ContentHash &value) const {
  const hash::Result &r = Slots[slot];
  uint64_t seal = __atomic_load_n(&r.seal, __ATOMIC_ACQUIRE);
  value.first = __atomic_load_n(&r.first, __ATOMIC_RELAXED);
  value.second = __atomic_load_n(&r.second, __ATOMIC_RELAXED);
  return seal == hash::seal(value, stamp);
}

const Records::Record *Records::find(Ticket ticket) const {
  const Record &r = All[indexOf(ticket)];
  // In this order: who sees another's Used sees its generation too.
  if (!ticket || r.state.load(std::memory_order_acquire) != Used)
    return nullptr;
  uint64_t generation = r.generation.load(std::memory_order_relaxed);
  return ticketOf(indexOf(ticket), generation) == ticket ? &r : nullptr;
}

bool Records::arrived(uint32_t index, const Record &record) const {
  uint32_t announced = record.announced.load(std::memory_order_acquire);
  uint64_t generation = record.generation.load(std::memory_order_relaxed);
  ContentHash value;
  for (uint32_t after = 0; after < 2; ++after)
    if ((announced >> after & 1) && !holds(2 * index + after, generation, value))
      return false;
  return true;
}

bool Records::isVacant(uint32_t index, uint32_t state) const {
  return state == Free || (state == Released && arrived(index, All[index]));
}

bool Records::take(uint32_t index) {
  Record &r = All[index];
  uint32_t state = r.state.load(std::memory_order_acquire);
  if (!isVacant(index, state) ||
      !r.state.compare_exchange_strong(state, Taken, std::memory_order_acq_rel))
    return false;
  // Another may have used and released it since the look.
  if (!isVacant(index, state)) {
    r.state.store(state, std::memory_order_release);
    return false;
  }
  r.announced.store(0, std::memory_order_relaxed);
  uint64_t next = r.generation.load(std::memory_order_relaxed) + 1;
  if (ticketOf(index, next) == 0) // 0 means none
    ++next;
  r.generation.store(next, std::memory_order_release);
  r.state.store(Used, std::memory_order_release);
  return true;
}

Ticket Records::begin() {
  uint32_t from = Hint.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < Count; ++i) {
    uint32_t index = (from + i) % Count;
    if (!take(index))
      continue;
    Hint.store(index + 1, std::memory_order_relaxed);
    Held.fetch_add(1, std::memory_order_acq_rel);
    return ticketOf(index, All[index].generation.load(std::memory_order_relaxed));
  }
  return 0;
}

bool Records::isUnderWay(uint32_t slot, uint64_t stamp) const {
  // A record in its next use has had its results.
  ContentHash value;
  return All[slot / 2].generation.load(std::memory_order_acquire) == stamp &&
         !holds(slot, stamp, value);
}

EnqueueResult Records::announce(Ticket ticket, bool after, Place &place) {
  Record *r = find(ticket);
  if (!r || (r->announced.load(std::memory_order_relaxed) >> after & 1))
    return EnqueueResult::Failed;
  place.slot = 2 * indexOf(ticket) + after;
  place.stamp = r->generation.load(std::memory_order_relaxed);
  if (!takePending(place))
    return EnqueueResult::Full;
  r->announced.fetch_or(1u << after, std::memory_order_acq_rel);
  return EnqueueResult::None;
}

bool Records::takePending(Place &place) {
  // Streams and threads do not end in the order in which they began: a few places are looked at.
  constexpr unsigned Tries = 8;
  for (unsigned i = 0; i < Tries; ++i) {
    place.pendingIndex = NextPending.fetch_add(1, std::memory_order_relaxed) % MaxPending;
    std::atomic<uint64_t> &pending = Pending[place.pendingIndex];
    uint64_t old = pending.load(std::memory_order_acquire);
    if (old && isUnderWay(uint32_t(old & ((1u << SlotBits) - 1)), old >> SlotBits))
      continue;
    if (pending.compare_exchange_strong(old, place.stamp << SlotBits | place.slot))
      return true;
  }
  return false;
}

void Records::withdraw(Ticket ticket, bool after, const Place &place) {
  if (Record *r = find(ticket))
    r->announced.fetch_and(~(1u << after), std::memory_order_acq_rel);
  Pending[place.pendingIndex].store(0, std::memory_order_release);
}

bool Records::arrived(Ticket ticket) const {
  const Record *r = find(ticket);
  return r && arrived(indexOf(ticket), *r);
}

Reading Records::read(Ticket ticket) const {
  Reading reading;
  const Record *r = find(ticket);
  if (!r)
    return reading;
  uint32_t announced = r->announced.load(std::memory_order_acquire);
  uint64_t generation = r->generation.load(std::memory_order_relaxed);
  auto look = [&](uint32_t after, bool &has, ContentHash &value) {
    uint32_t slot = 2 * indexOf(ticket) + after;
    ContentHash found;
    has = (announced >> after & 1) && holds(slot, generation, found);
    if (has)
      value = found;
  };
  look(0, reading.hasBefore, reading.before);
  look(1, reading.hasAfter, reading.after);
  return reading;
}

void Records::release(Ticket ticket) {
  Record *r = find(ticket);
  if (!r)
    return;
  r->state.store(Released, std::memory_order_release);
  Held.fetch_sub(1, std::memory_order_acq_rel);
}

} // namespace gpuinstr::audit
