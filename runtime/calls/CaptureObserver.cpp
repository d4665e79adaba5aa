// Tells the capture tracker of the captures that instrumented calls begin and end.
// SPDX-License-Identifier: Apache-2.0
#include "calls/CaptureObserver.h"
#include "calls/Observer.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr {

namespace {

void find(ThreadState &thread, uint64_t stream) {
  const uint32_t changes = cuda::Captures.changes();
  thread.capture = {cuda::Captures.captureIn(stream), changes};
}

/// Where they come again and again.
GPUINSTR_HOT void findShortly(ThreadState &thread, const gpuinstr_frame &frame) {
  BusyScope busy(thread);
  UncancelledScope uncancelled; // while the driver is asked
  find(thread, streamHandle(frame));
}
GPUINSTR_HOT bool beforeBegin(ThreadState &, const gpuinstr_frame &) {
  cuda::Captures.beginning();
  return true;
}
GPUINSTR_HOT void afterBegin(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  findShortly(thread, frame);
}
GPUINSTR_HOT bool beforeEnd(ThreadState &thread, const gpuinstr_frame &frame) {
  findShortly(thread, frame);
  return true;
}
GPUINSTR_HOT void afterEnd(ThreadState &, const gpuinstr_frame &frame, int32_t) {
  cuda::Captures.ended(streamHandle(frame), false);
}
/// None of the other looks at beginnings says false.
GPUINSTR_HOT_DATA ShortLook Begins = {beforeBegin, afterBegin}, Ends = {beforeEnd, afterEnd};

class CaptureObserver final : public Observer {
public:
  CaptureObserver() : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END)) {
    addObserver(*this);
  }
  void before(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_CAPTURE_BEGIN)
      return cuda::Captures.beginning();
    find(call.thread, call.operands.stream);
  }
  void after(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_CAPTURE_END)
      cuda::Captures.ended(call.operands.stream, call.failed);
    else if (call.failed)
      cuda::Captures.beginFailed();
    else
      find(call.thread, call.operands.stream);
  }
  const ShortLook *shortLook(const gpuinstr_site &site) const override {
    return site.op == GPUINSTR_OP_CAPTURE_BEGIN ? &Begins : &Ends;
  }
};

} // namespace

void watchCaptures() {
  static CaptureObserver *observer = new CaptureObserver; // leaked: used during exit
  (void)observer;
}

} // namespace gpuinstr
