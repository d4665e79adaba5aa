// Errors that nobody asks about.
// SPDX-License-Identifier: Apache-2.0
#include "findings/IgnoredErrors.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/code/UnseenCode.h"
#include "calls/sites/Sites.h"
#include "cuda/DriverFacts.h"
#include "cuda/errors/ErrorNames.h"
#include "findings/Findings.h"
#include <atomic>

namespace gpuinstr {

namespace {
/// Code that is not seen uses CUDA, or did so in a library that is not there any more; or the
/// program asks through a pointer.
bool othersMayAsk(const PendingError &pending) {
  if (pending.librariesGone != librariesGone() || unseenCodeUsesCuda())
    return true;
  for (const ModuleInfo &module : registeredModules())
    for (const std::string &name : module.addressesTaken)
      if (name == "cudaGetLastError" || name == "cudaPeekAtLastError")
        return true;
  return false;
}
} // namespace

FindingKey pendingKey(const PendingError &pending) {
  FindingKey key;
  key.pattern = pending.launch ? Pattern::FailedLaunch : Pattern::IgnoredError;
  key.grade = othersMayAsk(pending) ? Grade::Likely : Grade::Proven;
  key.site = pending.site;
  key.caller = pending.caller;
  key.error = pending.error;
  key.driverError = pending.driver;
  return key;
}

namespace {

/// Nobody asked: the finding is made.
void ignoredErrorIsFinal(const PendingError &pending) {
  recordFinding(
      pendingKey(pending), 0,
      [&](FindingRecord &record) { record.noteRightKind(pending.rightKind, pending.count); },
      pending.count);
}

void allAreFinal(PendingErrors &pending) {
  for (unsigned i = 0; i < pending.number; ++i)
    ignoredErrorIsFinal(pending.lines[i]);
  pending = PendingErrors();
}

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

/// Of the call that failed, or the launch inside it. False: the source looks at the result, or a
/// region handles its inner errors itself.
bool isUnseen(const ThreadState &thread, const gpuinstr_site &site, int32_t result,
              PendingError &pending) {
  constexpr uint32_t Cuda = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT;
  const RootCall &root = thread.root;
  if ((site.flags & Cuda) && isError(result, site)) {
    pending.error = result;
    pending.driver = site.flags & GPUINSTR_SITE_CU_RESULT;
    if (!(site.flags & GPUINSTR_SITE_DISCARDED))
      return false;
  } else if (site.op == GPUINSTR_OP_LAUNCH && !(site.flags & Cuda) && root.nestedError) {
    pending.error = root.nestedError; // k<<<>>>() has no result to look at
    pending.driver = root.nestedIsDriver;
  } else {
    return false;
  }
  pending.launch = site.op == GPUINSTR_OP_LAUNCH;
  pending.site = root.site;
  pending.caller = root.caller;
  return true;
}

/// PendingError::rightKind of a copy that CUDA refused.
uint8_t rightKindOf(const gpuinstr_frame &frame, int32_t result) {
  constexpr int32_t InvalidMemcpyDirection = 21; // cudaErrorInvalidMemcpyDirection
  const gpuinstr_site &site = *frame.site;
  constexpr uint32_t Given =
      1u << GPUINSTR_SLOT_DST | 1u << GPUINSTR_SLOT_SRC | 1u << GPUINSTR_SLOT_KIND;
  if ((site.op != GPUINSTR_OP_COPY && site.op != GPUINSTR_OP_COPY_2D) ||
      (site.slots & Given) != Given ||
      (result != ErrorInvalidValue && result != InvalidMemcpyDirection))
    return 0;
  const cuda::Side to = cuda::sideOf(frame.slot[GPUINSTR_SLOT_DST]),
                   from = cuda::sideOf(frame.slot[GPUINSTR_SLOT_SRC]);
  if (to == cuda::Side::Unknown || from == cuda::Side::Unknown)
    return 0;
  const unsigned kind = (to == cuda::Side::Device) | (from == cuda::Side::Device) << 1;
  constexpr unsigned AsPointersAre = 4; // cudaMemcpyDefault
  const uint64_t given = frame.slot[GPUINSTR_SLOT_KIND];
  return given == kind || given == AsPointersAre ? 0 : uint8_t(kind + 1);
}

/// The outermost call failed, or the launch inside it did. Another error ends the wait for earlier
/// ones, and begins one for this when the source discards its result.
void noteFailure(ThreadState &thread, const gpuinstr_site &site, int32_t result) {
  if (thread.paused)
    return;
  BusyScope busy(thread);
  PendingErrors &pending = thread.pending;
  PendingError next;
  const bool refused = cuda::simulatorRefused(); // in each case: it is asked once
  const bool unseen = isUnseen(thread, site, result, next);
  if (!unseen)
    thread.errorSeenAt = thread.root.start;
  if (!unseen && losesDevice(result) && pending.number && pending.lines[0].error == result)
    pending = PendingErrors(); // the lost device says it again, and this time somebody looks
  if (!unseen || !pending.outlive(next))
    allAreFinal(pending);
  if (!unseen || refused || meansNoGpu(next.error))
    return;
  const gpuinstr_frame *frame = thread.frames[0].frame; // its own, in its leave
  if (frame && frame->site == &site)
    next.rightKind = rightKindOf(*frame, result);
  if (losesDevice(next.error) && DeviceLost.exchange(true))
    return; // all calls fail from then on: the first one has told of it
  next.librariesGone = librariesGone();
  pending.add(next);
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
    } else if (!(call.site.flags & GPUINSTR_SITE_DISCARDED)) {
      call.thread.pending = PendingErrors();
      if (call.result != 0 && call.result != ErrorNotReady)
        call.thread.errorSeenAt = call.thread.root.start;
    } else if (call.result == 0 && !call.thread.pending.lines[0].driver) {
      call.thread.pending = PendingErrors(); // somebody unseen has taken it away before
    } else if (call.operands.op == GPUINSTR_OP_GET_ERROR) {
      allAreFinal(call.thread.pending); // it is taken away, and nobody has seen it
    }
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
