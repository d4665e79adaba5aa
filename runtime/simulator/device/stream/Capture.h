// Stream capture: sessions, what joins them, what breaks them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stream/Stream.h"

namespace gpuinstr::sim {

/// One capture, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct CaptureSession {
  uint64_t Id = 0;
  CUgraph Graph = nullptr;
  std::shared_ptr<CUgraph_st> Owned; ///< The graph, unless the program brought its own.
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t Thread = 0; ///< ThreadState::Id of the beginner.
  CUstream Origin = nullptr;
  bool Invalid = false;
  bool Ended = false;            ///< Events recorded in it are of no use until recorded anew.
  std::vector<CUgraphNode> Left; ///< Last nodes of streams that were destroyed meanwhile.
};

CUresult beginCapture(CUcontext Current, CUstream Handle, CUstreamCaptureMode Mode, CUgraph Into,
                      const CUgraphNode *Deps, size_t Count);
CUresult endCapture(CUcontext Current, CUstream Handle, CUgraph *Out);
CUresult exchangeCaptureMode(CUstreamCaptureMode *Mode);

struct CaptureInfo {
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t Id = 0;
  CUgraph Graph = nullptr;
  const CUgraphNode *Tail = nullptr; ///< Valid until the stream's next call.
  size_t TailCount = 0;
};
CUresult captureInfo(CUcontext Current, CUstream Handle, CaptureInfo *Info);
CUresult updateCaptureTail(CUcontext Current, CUstream Handle, const CUgraphNode *Nodes,
                           size_t Count, unsigned Flags);

// The functions below need the lock.

void invalidate(CaptureSession &Session);
/// A capturing stream is destroyed: the origin ends the capture, a forked stream must have been
/// joined by the end.
void leaveCapture(State &S, CUstream_st &Stream);
/// Adds \p Work to the graph that \p Stream captures into.
CUresult capture(CUstream_st &Stream, Op Work);
/// Using the legacy stream while a blocking stream captures would make a dependency that cannot be
/// captured: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and the capture is invalid.
CUresult checkLegacyUse(State &S, CUstream_st &Stream);
/// Query and synchronise of a stream: never allowed for a capturing one.
CUresult checkStreamQueryAllowed(State &S, CUstream_st &Stream);

} // namespace gpuinstr::sim
