// A process forks: the child starts anew.
// SPDX-License-Identifier: Apache-2.0
#include "process/Fork.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/ProcessState.h"
#include "options/PathPattern.h"
#include "process/Exit.h"
#include "process/Parts.h"
#include <pthread.h>

namespace gpuinstr {

/// The child reports only its own calls.
static void inChild() noexcept {
  unlockParts();
  ownProcess(monotonicNs());
  forgetReport();
  forgetBackgroundThreads();
  guarded(options::forgetWrittenFiles);
  eachPart([](Part &part) { guarded([&] { part.childAfterFork(); }); });
}

void addForkHandlers() { pthread_atfork(lockParts, unlockParts, inChild); }

} // namespace gpuinstr
