// A signal that comes while the simulated driver holds its lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../Inputs/check.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int signalInCall; ///< 0: none

/// Of the simulated device's memory, which it opens when it is allocated.
extern "C" int mprotect(void *address, size_t bytes, int protection) noexcept {
  if (int signal = signalInCall) {
    signalInCall = 0;
    raise(signal);
  }
  return int(syscall(SYS_mprotect, address, bytes, protection));
}
