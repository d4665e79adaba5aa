// Errors that nobody asks about.
// SPDX-License-Identifier: Apache-2.0
#include "findings/IgnoredErrors.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "cuda/errors/ErrorNames.h"
#include "findings/Findings.h"
#include <atomic>

namespace gpuinstr {

FindingKey pendingKey(const PendingError &pending) {
  FindingKey key;
  key.pattern = pending.launch ? Pattern::FailedLaunch : Pattern::IgnoredError;
  key.grade = Grade::Proven;
  key.site = pending.site;
  key.caller = pending.caller;
  key.error = pending.error;
  key.driverError = pending.driver;
  return key;
}

namespace {

/// Nobody asked: the finding is made.
void ignoredErrorIsFinal(const PendingError &pending) { recordFinding(pendingKey(pending), 0); }

/// There is no device, or no driver that could drive it: then every call fails, and the report says
/// so once.
bool meansNoGpu(int32_t error) {
  switch (error) {
  case ErrorStubLibrary:
  case ErrorInsufficientDriver:
  case ErrorNoDevice:
  case ErrorSystemDriverMismatch:
  case ErrorCompatNotSupportedOnDevice:
    return true;
  default:
    return false;
  }
}

/// A call whose result was discarded has returned a kernel's fault, and no reset came since. Of two
/// devices that are lost in one run the second is not told.
std::atomic<bool> DeviceLost{false};

/// The outermost call failed, or the launch inside it did. Ends the wait for an earlier error, and
/// begins one for this when the source discards its result.
void noteFailure(ThreadState &thread, const gpuinstr_site &site, int32_t result) {
  if (thread.paused)
    return;
  BusyScope busy(thread);
  PendingError &pending = thread.pending;
  if (pending.armed)
    ignoredErrorIsFinal(pending);
  pending = PendingError();
  const RootCall &root = thread.root;
  constexpr uint32_t Cuda = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT;
  if ((site.flags & Cuda) && isError(result, site)) {
    if (!(site.flags & GPUINSTR_SITE_DISCARDED))
      return;
    pending.error = result;
    pending.driver = site.flags & GPUINSTR_SITE_CU_RESULT;
  } else if (site.op == GPUINSTR_OP_LAUNCH && !(site.flags & Cuda) && root.nestedError) {
    pending.error = root.nestedError; // k<<<>>>() has no result to look at
    pending.driver = root.nestedIsDriver;
  } else {
    return; // a region handles its inner errors itself
  }
  if (meansNoGpu(pending.error)) {
    pending = PendingError();
    return;
  }
  if (losesDevice(pending.error) && DeviceLost.exchange(true)) {
    pending = PendingError(); // all calls fail from then on: the first one has told of it
    return;
  }
  pending.armed = true;
  pending.launch = site.op == GPUINSTR_OP_LAUNCH;
  pending.site = root.site;
  pending.caller = root.caller;
}

class ErrorObserver : public Observer {
public:
  ErrorObserver()
      : Observer(opBit(GPUINSTR_OP_GET_ERROR) | opBit(GPUINSTR_OP_PEEK_ERROR) |
                 opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  void after(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_RESET_DEVICE) {
      if (!call.failed)
        DeviceLost.store(false);
    } else if (!(call.site.flags & GPUINSTR_SITE_DISCARDED))
      call.thread.pending = PendingError();
  }
};
} // namespace

void addErrorObserver() {
  static ErrorObserver *observer = new ErrorObserver; // leaked: used during exit
  addObserver(*observer);
  Hooks.callFailed = noteFailure;
  Hooks.errorUnasked = ignoredErrorIsFinal;
}

} // namespace gpuinstr
