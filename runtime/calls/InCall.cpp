// Whether a handler of signals came within a call, to whose locks nobody comes back.
// SPDX-License-Identifier: Apache-2.0
#include "calls/Entry.h"
#include "calls/fast/FastPathStates.h"
#include "calls/threads/Thread.h"
#include <unwind.h>

namespace gpuinstr {

namespace {

struct Search {
  const ThreadState &thread;
  bool found = false;

  /// Where the interrupted function's stack ended then.
  bool wasInCall(uintptr_t stack) const {
    if (thread.busy)
      return true;
    for (uint32_t i = thread.depth; i-- > 0;)
      if (const LiveFrame &live = thread.frames[i];
          !wasLeft(live, stack) && live.site->op != GPUINSTR_OP_REGION)
        return true;
    return false;
  }
};

_Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  auto &search = *static_cast<Search *>(data);
  int isInterrupted = 0;
  if (!_Unwind_GetIPInfo(context, &isInterrupted))
    return _URC_END_OF_STACK;
  if (isInterrupted && search.wasInCall(_Unwind_GetCFA(context)))
    search.found = true;
  return search.found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

bool isInCall() {
  // Frames stand there, too, when a functor that a library calls ends the process.
  const ThreadState *thread = Self;
  if (!thread || (!thread->busy && thread->depth == 0))
    return false;
  Search search{*thread};
  _Unwind_Backtrace(step, &search);
  return search.found;
}

} // namespace gpuinstr
