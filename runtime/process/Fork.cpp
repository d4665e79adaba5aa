// A process forks: the child starts anew.
// SPDX-License-Identifier: Apache-2.0
#include "process/Fork.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/ProcessState.h"
#include "calls/threads/Thread.h"
#include "options/PathPattern.h"
#include "process/Exit.h"
#include "process/Parts.h"
#include <pthread.h>

namespace gpuinstr {

/// A handler of signals forks, and its thread is within our own work: it may hold the locks that it
/// would wait for. Then none is taken, and the child runs as if not instrumented.
static bool isInOurWork() { return Self && Self->busy; }

static void before() {
  if (!isInOurWork())
    lockParts();
}
static void inParent() {
  if (!isInOurWork())
    unlockParts();
}

/// The child reports only its own calls.
static void inChild() noexcept {
  if (isInOurWork())
    return disable();
  unlockParts();
  ownProcess(monotonicNs());
  forgetReport();
  forgetBackgroundThreads();
  guarded(options::forgetWrittenFiles);
  eachPart([](Part &part) { guarded([&] { part.childAfterFork(); }); });
}

void addForkHandlers() { pthread_atfork(before, inParent, inChild); }

} // namespace gpuinstr
