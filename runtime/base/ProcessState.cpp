// Whose state this is: of the process that started the runtime, or of a child that shares it.
// SPDX-License-Identifier: Apache-2.0
#include "base/ProcessState.h"
#include <atomic>
#include <unistd.h>

namespace gpuinstr {

namespace {
std::atomic<bool> Disabled{false};
std::atomic<pid_t> Owner{0};
uint64_t ProcessStartNs = 0;
} // namespace

void ownProcess(uint64_t startNs) {
  Owner.store(getpid());
  ProcessStartNs = startNs;
}

bool isOwnProcess() { return Owner.load() == getpid(); }
uint64_t processStartNs() { return ProcessStartNs; }

void disable(bool off) { Disabled.store(off); }
bool isDisabled() { return Disabled.load(std::memory_order_relaxed); }

} // namespace gpuinstr
