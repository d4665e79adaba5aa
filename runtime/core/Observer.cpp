// The seam between the calls and all that looks at them.
// SPDX-License-Identifier: Apache-2.0
#include "core/Observer.h"
#include "core/Clock.h"
#include "core/Errors.h"

namespace gpuinstr::core {

uint64_t ObservedOperations = 0;

namespace {
constexpr unsigned MaxObservers = 16;
Observer *Observers[MaxObservers];
unsigned NumObservers = 0;

/// Keeps the runtime's own calls out of the ledger, and its time out of the program's.
class OwnWork {
public:
  explicit OwnWork(ThreadState &thread) : Thread(thread), Busy(thread), Start(ticks()) {}
  ~OwnWork() { Thread.ownTicks += ticks() - Start; }

private:
  ThreadState &Thread;
  BusyScope Busy;
  uint64_t Start;
};
} // namespace

void addObserver(Observer &observer) {
  if (NumObservers == MaxObservers)
    return;
  Observers[NumObservers++] = &observer;
  ObservedOperations |= observer.Operations;
}

void observeBefore(ThreadState &thread, const gpuinstr_frame &frame) {
  OwnWork own(thread);
  Operation operation = decode(frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  for (unsigned i = 0; i < NumObservers; ++i)
    if (Observers[i]->Operations & opBit(operation.op))
      Observers[i]->before(call);
}

void observeAfter(ThreadState &thread, const gpuinstr_frame &frame, int64_t result) {
  OwnWork own(thread);
  Operation operation = decode(frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  constexpr uint32_t ReturnsStatus =
      GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;
  if (frame.site->flags & ReturnsStatus)
    call.result = int32_t(result);
  call.failed = isError(call.result, *frame.site);
  if (!call.failed && operation.bytes != UINT64_MAX)
    thread.root.counters->bytes += operation.bytes;
  for (unsigned i = 0; i < NumObservers; ++i)
    if (Observers[i]->Operations & opBit(operation.op))
      Observers[i]->after(call);
}

} // namespace gpuinstr::core
