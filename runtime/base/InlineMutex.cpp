// A mutex that is taken and given back in its caller's own code.
// SPDX-License-Identifier: Apache-2.0
#include "base/InlineMutex.h"
#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

/// No cancellation point, and the program's errno stays.
void askKernel(std::atomic<uint32_t> &state, int operation, uint32_t value) {
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "what the kernel compares");
  int before = errno;
  syscall(SYS_futex, &state, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
  errno = before;
}

} // namespace

/// Who has waited takes it as waited for: others may wait still.
__attribute__((cold, noinline)) void InlineMutex::wait() {
  while (State.exchange(HeldAndWaitedFor, std::memory_order_acquire) != Free)
    askKernel(State, FUTEX_WAIT, HeldAndWaitedFor);
}

__attribute__((cold, noinline)) void InlineMutex::wakeOne() { askKernel(State, FUTEX_WAKE, 1); }

} // namespace gpuinstr
