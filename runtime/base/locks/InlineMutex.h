// A mutex that is taken and given back in its caller's own code.
// SPDX-License-Identifier: Apache-2.0
//
// A call of the C library's is a dozen cache lines and five pages that the driver has evicted, for
// each allocation and each free. Where a thread waits, the kernel wakes it, as there.
#ifndef GPUINSTR_BASE_LOCKS_INLINEMUTEX_H
#define GPUINSTR_BASE_LOCKS_INLINEMUTEX_H

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

/// For std::lock_guard and std::unique_lock. Held across fork, the child gives it back.
class InlineMutex {
public:
  InlineMutex() = default;
  InlineMutex(const InlineMutex &) = delete;
  void lock() {
    if (__builtin_expect(!try_lock(), false))
      wait();
  }
  bool try_lock() {
    uint32_t free = Free;
    return State.compare_exchange_strong(free, Held, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() {
    if (__builtin_expect(State.exchange(Free, std::memory_order_release) == HeldAndWaitedFor,
                         false))
      wakeOne();
  }

private:
  enum : uint32_t { Free, Held, HeldAndWaitedFor };
  /// Who has waited takes it as waited for: others may wait still.
  __attribute__((cold, noinline)) void wait() {
    while (State.exchange(HeldAndWaitedFor, std::memory_order_acquire) != Free)
      askKernel(FUTEX_WAIT, HeldAndWaitedFor);
  }
  __attribute__((cold, noinline)) void wakeOne() { askKernel(FUTEX_WAKE, 1); }
  /// No cancellation point, and the program's errno stays.
  void askKernel(int operation, uint32_t value) {
    static_assert(sizeof State == sizeof value, "what the kernel compares");
    int before = errno;
    syscall(SYS_futex, &State, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
    errno = before;
  }
  std::atomic<uint32_t> State{Free};
};

} // namespace gpuinstr

#endif
