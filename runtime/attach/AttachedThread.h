// What the attached part knows of one thread.
// SPDX-License-Identifier: Apache-2.0
//
// The driver and the program evict our data between two calls, and each variable of a thread's own
// costs a question to the loader: all of them are one.
#ifndef GPUINSTR_ATTACH_ATTACHEDTHREAD_H
#define GPUINSTR_ATTACH_ATTACHEDTHREAD_H

#include "attach/driver/DriverCalls.h"
#include "attach/native/KnownWalks.h"
#include "attach/python/KnownFrames.h"

namespace gpuinstr::attach {

/// A driver call in progress. Its exit finds it by its address alone.
struct alignas(64) OpenCall {
  const DriverCall *call = nullptr;
  const char *pool = nullptr;                ///< that allocates, nullptr none
  struct AttachedThread *thread = nullptr;
  gpuinstr_frame frame = {};
};

struct AttachedThread {
  unsigned depth = 0; ///< calls in progress. One of the driver's own inside another is the latter's
  int *error = nullptr; ///< this thread's errno
  NativeThread native;
  PythonThread python;
  uint64_t lastAsked = 0; ///< what it asked the driver about, see HandedOver.cpp
  static constexpr unsigned MostCalls = 8;
  OpenCall calls[MostCalls];
};

AttachedThread &thisAttachedThread();

} // namespace gpuinstr::attach

#endif
