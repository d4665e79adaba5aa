// Error codes, and errors that nobody asks about.
// SPDX-License-Identifier: Apache-2.0
#include "findings/IgnoredErrors.h"
#include "calls/Observer.h"
#include "findings/Findings.h"

namespace gpuinstr {

bool isError(int32_t result, const gpuinstr_site &site) {
  if (result == 0 || site.op == GPUINSTR_OP_GET_ERROR || site.op == GPUINSTR_OP_PEEK_ERROR)
    return false;
  if (site.flags & GPUINSTR_SITE_STATUS)
    return true;
  switch (result) {
  case ErrorUnloading:
  case ErrorNotReady:
  case ErrorPeerAccessAlreadyEnabled:
  case ErrorHostMemoryAlreadyRegistered:
    return false;
  }
  return true;
}

std::string errorName(int32_t code, bool driver) {
  const char *name = nullptr;
  if (driver) {
    switch (code) {
#define CUDA_ERROR_NAME(value, text)                                                               \
  case value:                                                                                      \
    name = text;                                                                                   \
    break;
#include "cuda/DriverErrors.def"
    }
  } else {
    switch (code) {
#define CUDA_ERROR_NAME(value, text)                                                               \
  case value:                                                                                      \
    name = text;                                                                                   \
    break;
#include "cuda/RuntimeErrors.def"
    }
  }
  return name ? name : "error " + std::to_string(code);
}

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

void ignoredErrorIsFinal(const PendingError &pending) { recordFinding(pendingKey(pending), 0); }

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
  pending.armed = true;
  pending.launch = site.op == GPUINSTR_OP_LAUNCH;
  pending.site = root.site;
  pending.caller = root.caller;
}

namespace {
class ErrorObserver : public Observer {
public:
  ErrorObserver() : Observer(opBit(GPUINSTR_OP_GET_ERROR) | opBit(GPUINSTR_OP_PEEK_ERROR)) {}
  void after(const Call &call) override {
    if (!(call.site.flags & GPUINSTR_SITE_DISCARDED))
      call.thread.pending = PendingError();
  }
};
} // namespace

void addErrorObserver() {
  static ErrorObserver *observer = new ErrorObserver; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr
