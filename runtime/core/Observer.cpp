// The seam between the calls and all that looks at them.
// SPDX-License-Identifier: Apache-2.0
#include "core/Observer.h"
#include "core/Clock.h"
#include "core/Errors.h"
#include "core/Guard.h"

namespace gpuinstr::core {

uint64_t ObservedOperations = 0;

namespace {
constexpr unsigned MaxObservers = 16;
Observer *Observers[MaxObservers];
unsigned NumObservers = 0;

} // namespace

uint64_t ticksOf(const Call &call) {
  const RootCall &root = call.thread.root;
  return (root.end ? root.end : ticks()) - root.start;
}

void addObserver(Observer &observer) {
  if (NumObservers == MaxObservers)
    return;
  Observers[NumObservers++] = &observer;
  ObservedOperations |= observer.Operations;
}

void muteObserver(const Observer &observer) {
  uint64_t operations = 0;
  for (unsigned i = 0; i < NumObservers; ++i)
    if (Observers[i] != &observer)
      operations |= Observers[i]->Operations;
  __atomic_store_n(&ObservedOperations, operations, __ATOMIC_RELAXED); // enter reads it meanwhile
}

void observeBefore(ThreadState &thread, const gpuinstr_frame &frame) {
  BusyScope busy(thread);
  Operation operation = decode(frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  for (unsigned i = 0; i < NumObservers; ++i)
    if (Observers[i]->Operations & opBit(operation.op))
      guarded([&] { Observers[i]->before(call); });
}

void observeAfter(ThreadState &thread, const gpuinstr_frame &frame, int64_t result) {
  BusyScope busy(thread);
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
      guarded([&] { Observers[i]->after(call); });
}

} // namespace gpuinstr::core
