// What the attached part knows of one thread.
// SPDX-License-Identifier: Apache-2.0
#include "attach/AttachedThread.h"
#include "base/HotCode.h"
#include <cerrno>
#include <type_traits>

namespace gpuinstr::attach {

namespace {

// Calls are made until the very end of a thread, when its other variables are gone.
static_assert(std::is_trivially_destructible_v<AttachedThread>, "nobody ends it");
thread_local AttachedThread This;

struct AtThreadEnd {
  ~AtThreadEnd() {
    This.native.known.end();
    This.python.known.end();
  }
};

__attribute__((noinline)) void begin(AttachedThread &thread) {
  thread.error = &errno;
  for (OpenCall &open : thread.calls)
    open.thread = &thread;
}

} // namespace

GPUINSTR_HOT AttachedThread &thisAttachedThread() {
  AttachedThread &thread = This;
  if (UNLIKELY(!thread.error))
    begin(thread);
  return thread;
}

void endTablesWithThread() {
  thread_local AtThreadEnd atEnd;
  (void)&atEnd;
}

} // namespace gpuinstr::attach
