// Streams: queues of work, their order, waiting for them. This is the seam where issue-order
// execution can become concurrent: everything a stream does passes through submit().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

using StreamRef = std::shared_ptr<CUstream_st>;

/// Finds the stream behind a handle (0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD included) in the
/// current context. CUDA_ERROR_INVALID_HANDLE for a destroyed or unknown one. Needs the lock.
CUresult resolveStream(State &S, CUcontext Current, CUstream Handle, StreamRef &Out);

CUresult createStream(CUcontext Context, unsigned Flags, int Priority, CUstream *Out);
CUresult destroyStream(CUstream Handle);
CUresult queryStream(CUcontext Current, CUstream Handle);
CUresult synchronizeStream(CUcontext Current, CUstream Handle);

/// Puts one piece of work at the end of \p Stream. It runs at once, on this thread, when the
/// stream is idle and nothing it depends on is pending; otherwise, and always for host functions,
/// on the stream's own worker thread. \p L is released while work runs.
/// Returns the point at which the work is complete.
StreamPoint submit(Lock &L, const StreamRef &Stream, Op Work, std::vector<StreamPoint> After = {});

/// The whole way of an asynchronous call: resolve the stream, refuse or record under capture,
/// submit. \p Wait: return once it is complete (a synchronous call).
CUresult enqueue(CUcontext Current, CUstream Handle, Op Work, bool Wait);

bool isIdle(const CUstream_st &Stream);
bool reached(const StreamPoint &Point);
void waitFor(Lock &L, const StreamPoint &Point);
/// After a wait: gives the lock back, writes what kernels have printed, and tells of a kernel's
/// fault.
CUresult afterWaiting(Lock &L, CUcontext Context);
/// Waits for all work submitted to \p Context so far.
void waitForContext(Lock &L, CUcontext Context);

// What a queue needs of the work it holds. Implemented above, in device/work/Execute.cpp.

/// Runs one operation. No lock is held.
void execute(Op &Work, CUstream Stream);
/// True for work that must not run on the caller's thread (host functions).
bool needsWorker(const Op &Work);

// Rules of capture for calls that queue no work. Capture.cpp.

/// Whether a call that is "potentially unsafe" under stream capture may go ahead on this thread.
/// If not, the offended captures are invalidated: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.
CUresult checkUnsafeCall(State &S);
/// The same for calls that wait for the whole context: no stream of it may be capturing, in
/// whatever mode.
CUresult checkSynchronizeAllowed(State &S, CUcontext Context);
/// Drops all captures in \p Context.
void abandonCaptures(State &S, CUcontext Context);

} // namespace gpuinstr::sim
