// Streams: queues of work, their order, waiting for them. This is the seam where issue-order
// execution can become concurrent: everything a stream does passes through submit().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

using StreamRef = std::shared_ptr<CUstream_st>;

/// Finds the stream behind a handle (0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD included) in the
/// current context. CUDA_ERROR_INVALID_HANDLE for a destroyed or unknown one. Needs the lock.
CUresult resolveStream(State &s, CUcontext current, CUstream handle, StreamRef &out);

CUresult createStream(CUcontext context, unsigned flags, int priority, CUstream *out);
CUresult destroyStream(CUstream handle);
CUresult queryStream(CUcontext current, CUstream handle);
CUresult synchronizeStream(CUcontext current, CUstream handle);

/// Puts one piece of work at the end of \p stream. It runs at once, on this thread, when the
/// stream is idle and nothing it depends on is pending; otherwise, and always for host functions,
/// on the stream's own worker thread. \p l is released while work runs.
/// Returns the point at which the work is complete.
StreamPoint submit(Lock &l, const StreamRef &stream, Op work, std::vector<StreamPoint> after = {});

/// The whole way of an asynchronous call: resolve the stream, refuse or record under capture,
/// submit. \p wait: return once it is complete (a synchronous call).
CUresult enqueue(CUcontext current, CUstream handle, Op work, bool wait);

bool isIdle(const CUstream_st &stream);
bool reached(const StreamPoint &point);
void waitFor(Lock &l, const StreamPoint &point);
/// After a wait: gives the lock back, writes what kernels have printed, and tells of a kernel's
/// fault.
CUresult afterWaiting(Lock &l, CUcontext context);
/// Whether work of a stream of \p context is under way. Needs the lock.
bool hasWork(const CUctx_st &context);
/// All work submitted to \p context so far.
std::vector<StreamPoint> workOf(const CUctx_st &context);
/// Waits for all of that.
void waitForContext(Lock &l, CUcontext context);

// What a queue needs of the work it holds. Implemented above, in device/work/Execute.cpp.

/// Runs one operation. No lock is held.
void execute(Op &work, CUstream stream);
/// True for work that must not run on the caller's thread (host functions).
bool needsWorker(const Op &work);

// Rules of capture for calls that queue no work. Capture.cpp.

/// Whether a call that is "potentially unsafe" under stream capture may go ahead on this thread.
/// If not, the offended captures are invalidated: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.
CUresult checkUnsafeCall(State &s);
/// The same for calls that wait for the whole context: no stream of it may be capturing, in
/// whatever mode.
CUresult checkSynchronizeAllowed(State &s, CUcontext context);
/// Drops all captures in \p context.
void abandonCaptures(State &s, CUcontext context);

} // namespace gpuinstr::sim
