// Whether a call stands on a stack that has room for what the runtime does.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/StackRoom.h"
#include "base/BackgroundThread.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

/// What a first call takes, four times over.
constexpr uintptr_t Needed = 32 << 10;
/// Of a stack whose ends nobody knows: so far around a call the next one is believed to have room.
constexpr uintptr_t Around = 128 << 10;

std::atomic<uint64_t> PassedOver{0};

/// Of the main thread the system says it through a file, and it is large. Our own have room, and
/// one of them runs while the allocator may be out of reach, which is asked for memory here.
ThreadStack stackOfProgramsThread() {
  return isBackgroundThread() || syscall(SYS_gettid) == getpid() ? ThreadStack()
                                                                 : findThreadStack();
}

} // namespace

bool StackRoom::judge(uintptr_t stackPointer, uintptr_t begin, uintptr_t end) {
  if (stackPointer - begin < Needed) {
    PassedOver.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  Low = begin + Needed;
  Span = end - Low;
  return true;
}

bool StackRoom::look(uintptr_t stackPointer) {
  int error = errno;
  stack_t alternate = {};
  bool room = true;
  if (sigaltstack(nullptr, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK)) {
    auto begin = reinterpret_cast<uintptr_t>(alternate.ss_sp);
    room = judge(stackPointer, begin, begin + alternate.ss_size);
  } else {
    if (!Asked)
      Own = stackOfProgramsThread();
    Asked = true;
    if (stackPointer - Own.begin < Own.end - Own.begin) {
      room = judge(stackPointer, Own.begin, Own.end);
    } else { // the main thread's, or a coroutine's
      Low = stackPointer - Around;
      Span = 2 * Around;
    }
  }
  errno = error;
  return room;
}

uint64_t callsWithoutRoom() { return PassedOver.load(std::memory_order_relaxed); }
void forgetCallsWithoutRoom() { PassedOver.store(0, std::memory_order_relaxed); }

} // namespace gpuinstr
