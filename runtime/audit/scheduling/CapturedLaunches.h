// Launches into graphs: what the kernel may touch whenever the graph is launched.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_CAPTUREDLAUNCHES_H
#define GPUINSTR_AUDIT_SCHEDULING_CAPTUREDLAUNCHES_H

#include "audit/ordering/Streams.h"
#include "audit/scheduling/KernelShapes.h"
#include "calls/threads/Thread.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

struct CapturedLaunch {
  StreamState &stream;
  uint64_t handle;          ///< of the stream
  uint64_t function;        ///< 0: it is no kernel
  const KernelShape *shape; ///< null: likewise
  void *const *arguments;
};

/// A launch while captures are open. True: it goes into one, which is noted, and runs nothing now.
__attribute__((noinline)) bool captureLaunch(ThreadState &thread, const CapturedLaunch &launch);

/// The one capture that is open began in the stream: launches into it need not ask the driver.
void rememberCapture(LaunchCache &cache, uint64_t stream, const CallCapture &capture);

/// The frames of the site's calls name a kernel and its stream, and no attributes.
inline bool namesLaunch(const gpuinstr_site &site) {
  constexpr uint32_t Named = 1u << GPUINSTR_SLOT_FUNC | 1u << GPUINSTR_SLOT_STREAM,
                     Asked = Named | 1u << GPUINSTR_SLOT_PARAMS;
  return (site.slots & Asked) == Named && site.detail == 0;
}

/// A launch like that one, of a kernel without parameters, went into the same capture before.
inline bool addsNothing(const ThreadState &thread, const gpuinstr_frame &frame) {
  const gpuinstr_site &site = *frame.site;
  const LaunchCache::Capture &last = thread.launches.capture;
  if (last.changes != cuda::Captures.changes() || last.function == 0 || !namesLaunch(site))
    return false;
  uint64_t handle = frame.slot[GPUINSTR_SLOT_STREAM];
  if (handle == 0 && (site.flags & GPUINSTR_SITE_PER_THREAD))
    handle = 2;
  return frame.slot[GPUINSTR_SLOT_FUNC] == last.function && handle == last.stream;
}

} // namespace gpuinstr::audit

#endif
