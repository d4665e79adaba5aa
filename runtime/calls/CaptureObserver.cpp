// Tells the capture tracker of the captures that instrumented calls begin and end.
// SPDX-License-Identifier: Apache-2.0
#include "calls/CaptureObserver.h"
#include "calls/Observer.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr {

namespace {

class CaptureObserver : public Observer {
public:
  CaptureObserver() : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END)) {
    addObserver(*this);
  }
  void before(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_CAPTURE_BEGIN)
      return cuda::Captures.beginning();
    find(call);
  }
  void after(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_CAPTURE_END)
      cuda::Captures.ended(call.operands.stream, call.failed);
    else if (call.failed)
      cuda::Captures.beginFailed();
    else
      find(call);
  }

private:
  static void find(const Call &call) {
    const uint32_t changes = cuda::Captures.changes();
    call.thread.capture = {cuda::Captures.captureIn(call.operands.stream), changes};
  }
};

} // namespace

void watchCaptures() {
  static CaptureObserver *observer = new CaptureObserver; // leaked: used during exit
  (void)observer;
}

} // namespace gpuinstr
