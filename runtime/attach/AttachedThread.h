// What the attached part knows of one thread.
// SPDX-License-Identifier: Apache-2.0
//
// Between two calls the driver and the program evict our data, and the translations of its
// addresses. So what a call needs lies in few cache lines of few pages: in the first page of this,
// in the entry of its walk, and in the library's hot data.
#ifndef GPUINSTR_ATTACH_ATTACHEDTHREAD_H
#define GPUINSTR_ATTACH_ATTACHEDTHREAD_H

#include "attach/driver/DriverCalls.h"
#include "attach/native/KnownWalks.h"
#include "attach/python/KnownFrames.h"
#include "base/HotCode.h"
#include <atomic>
#include <pthread.h>

namespace gpuinstr::attach {

/// A driver call in progress. Its exit finds it by its address alone.
struct alignas(64) OpenCall {
  const DriverCall *call = nullptr;
  const char *pool = nullptr; ///< that allocates, nullptr none
  struct AttachedThread *thread = nullptr;
  gpuinstr_frame frame = {};
};

/// Mapped memory, which is zeros: pages are taken as they are needed.
struct AttachedThread {
  unsigned depth; ///< calls in progress. One of the driver's own inside another is the latter's
  std::atomic<unsigned> inFrequent; ///< calls of GPUINSTR_SITE_FREQUENT whose exit is to come
  int *error;                       ///< this thread's errno
  uint64_t asked;                   ///< what it asked the driver about, see HandedOver.cpp
  uintptr_t self;                   ///< ownThread()
  OpenCall first;                   ///< of the calls; the others lie behind the tables
  NativeThread native;
  PythonThread python;

  KnownWalk walks[KnownWalks::Table::Size];
  KnownFrames frames[decltype(PythonThread::known)::Size];
  static constexpr unsigned MostCalls = 8;
  OpenCall others[MostCalls - 1];
  AttachedThread *next, *previous; ///< all threads

  OpenCall &callAt(unsigned i) { return LIKELY(i == 0) ? first : others[i - 1]; }
};
static_assert(sizeof(OpenCall) + sizeof(NativeThread) + sizeof(PythonThread) + 128 <= 4096,
              "what all calls need is one page");

/// Tells threads apart that live at one time, without a question to the loader.
inline uintptr_t ownThread() {
#if defined(__x86_64__)
  uintptr_t self;
  asm("movq %%fs:0, %0" : "=r"(self));
  return self;
#else
  return uintptr_t(pthread_self());
#endif
}

/// Where a thread's is found. Only its own thread writes a slot that is not free.
struct ThreadSlot {
  static constexpr unsigned Bits = 5;
  std::atomic<uintptr_t> self;
  AttachedThread *thread; ///< of `self`
};
extern ThreadSlot ThreadSlots[1 << ThreadSlot::Bits];
inline ThreadSlot &slotOf(uintptr_t self) {
  return ThreadSlots[(self >> 6) * 0x9e3779b97f4a7c15u >> (64 - ThreadSlot::Bits)];
}

/// Those that have no slot, or no memory yet.
AttachedThread *findThread(uintptr_t self);
/// Whether any thread is inside a frequent call.
bool anyInFrequent();
/// This thread's, made at its first call. nullptr: no memory.
inline AttachedThread *attachedThread() {
  const uintptr_t self = ownThread();
  const ThreadSlot &slot = slotOf(self);
  return LIKELY(slot.self.load(std::memory_order_relaxed) == self) ? slot.thread : findThread(self);
}

} // namespace gpuinstr::attach

#endif
