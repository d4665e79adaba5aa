// Stream capture: sessions, what joins them, what breaks them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stream/Stream.h"

namespace gpuinstr::sim {

/// One capture, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct CaptureSession {
  uint64_t id = 0;
  CUgraph graph = nullptr;
  std::shared_ptr<CUgraph_st> owned; ///< The graph, unless the program brought its own.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t thread = 0; ///< ThreadState::Id of the beginner.
  CUstream origin = nullptr;
  bool invalid = false;
  bool ended = false;            ///< Events recorded in it are of no use until recorded anew.
  std::vector<CUgraphNode> left; ///< Last nodes of streams that were destroyed meanwhile.
};

CUresult beginCapture(CUcontext current, CUstream handle, CUstreamCaptureMode mode, CUgraph into,
                      const CUgraphNode *deps, size_t count);
CUresult endCapture(CUcontext current, CUstream handle, CUgraph *out);
CUresult exchangeCaptureMode(CUstreamCaptureMode *mode);

/// All but the status may be null, and are set only while a capture is active. \p tail is valid
/// until the stream's next call.
CUresult captureInfo(CUcontext current, CUstream handle, CUstreamCaptureStatus *status,
                     uint64_t *id, CUgraph *graph, const CUgraphNode **tail, size_t *tailCount);
CUresult updateCaptureTail(CUcontext current, CUstream handle, const CUgraphNode *nodes,
                           size_t count, unsigned flags);

// The functions below need the lock.

void invalidate(CaptureSession &session);
/// A capturing stream is destroyed: the origin ends the capture, a forked stream must have been
/// joined by the end.
void leaveCapture(State &s, CUstream_st &stream);
/// Adds \p work to the graph that \p stream captures into.
CUresult capture(CUstream_st &stream, Op work);
/// Using the legacy stream while a blocking stream captures would make a dependency that cannot be
/// captured: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and the capture is invalid.
CUresult checkLegacyUse(State &s, CUstream_st &stream);
/// Query and synchronise of a stream: never allowed for a capturing one.
CUresult checkStreamQueryAllowed(State &s, CUstream_st &stream);

} // namespace gpuinstr::sim
