// What the attached part knows of one thread.
// SPDX-License-Identifier: Apache-2.0
#include "attach/AttachedThread.h"
#include <cerrno>
#include <mutex>
#include <sys/mman.h>

#if defined(__x86_64__) && defined(GPUINSTR_HOT_CODE_SECTION)
// Code and data that each call needs begin with a page.
asm(".pushsection " GPUINSTR_HOT_CODE_SECTION ",\"ax\",@progbits\n\t.p2align 12\n\t.popsection");
asm(".pushsection gpuinstr_hot,\"aw\",@progbits\n\t.p2align 12\n\t.popsection");
#endif

namespace gpuinstr::attach {

GPUINSTR_HOT_DATA ThreadSlot ThreadSlots[1 << ThreadSlot::Bits];

namespace {

struct Threads {
  std::mutex mutex;
  AttachedThread *first = nullptr;

  void add(AttachedThread &thread) {
    std::lock_guard<std::mutex> lock(mutex);
    thread.next = first;
    if (first)
      first->previous = &thread;
    first = &thread;
  }
  void drop(AttachedThread &thread) {
    std::lock_guard<std::mutex> lock(mutex);
    (thread.previous ? thread.previous->next : first) = thread.next;
    if (thread.next)
      thread.next->previous = thread.previous;
  }
};
Threads &threads() {
  static Threads *instance = new Threads; // leaked: used during exit
  return *instance;
}

void freeSlot(uintptr_t self) {
  ThreadSlot &slot = slotOf(self);
  if (slot.self.load(std::memory_order_relaxed) == self)
    slot.self.store(0, std::memory_order_release);
}

/// Calls that other destructors of this thread still make start a new one, which this sees in a
/// later round.
void endThread(void *thread) {
  auto *own = static_cast<AttachedThread *>(thread);
  freeSlot(own->self);
  threads().drop(*own);
  munmap(thread, sizeof(AttachedThread));
}

/// A child has this thread alone, and may make others where its parent's lay.
void forgetOtherThreads() {
  const uintptr_t self = ownThread();
  for (ThreadSlot &slot : ThreadSlots)
    if (slot.self.load(std::memory_order_relaxed) != self)
      slot.self.store(0, std::memory_order_relaxed);
  Threads &all = threads();
  AttachedThread *own = all.first;
  while (own && own->self != self)
    own = own->next;
  all.first = own;
  if (own)
    own->next = own->previous = nullptr;
  all.mutex.unlock();
}

/// 0: none is to be had.
pthread_key_t *key() {
  static pthread_key_t made;
  static const bool isThere =
      pthread_key_create(&made, endThread) == 0 &&
      pthread_atfork([] { threads().mutex.lock(); }, [] { threads().mutex.unlock(); },
                     forgetOtherThreads) == 0;
  return isThere ? &made : nullptr;
}

AttachedThread *makeThread(pthread_key_t key, uintptr_t self) {
  void *memory = mmap(nullptr, sizeof(AttachedThread), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (pthread_setspecific(key, memory) != 0) {
    munmap(memory, sizeof(AttachedThread));
    return nullptr;
  }
  auto *thread = static_cast<AttachedThread *>(memory);
  thread->error = &errno;
  thread->self = self;
  for (unsigned i = 0; i < AttachedThread::MostCalls; ++i)
    thread->callAt(i).thread = thread;
  thread->native.known.lieAt(thread->walks);
  thread->python.known.lieAt(thread->frames);
  threads().add(*thread);
  return thread;
}

} // namespace

bool anyInFrequent() {
  std::lock_guard<std::mutex> lock(threads().mutex);
  for (const AttachedThread *one = threads().first; one; one = one->next)
    if (one->inFrequent.load())
      return true;
  return false;
}

__attribute__((noinline)) AttachedThread *findThread(uintptr_t self) {
  const int saved = errno;
  pthread_key_t *own = key();
  auto *thread = own ? static_cast<AttachedThread *>(pthread_getspecific(*own)) : nullptr;
  if (!thread && own)
    thread = makeThread(*own, self);
  ThreadSlot &slot = slotOf(self);
  uintptr_t none = 0;
  if (thread && slot.self.compare_exchange_strong(none, self))
    slot.thread = thread; // nobody else looks at it
  errno = saved;
  return thread;
}

} // namespace gpuinstr::attach
