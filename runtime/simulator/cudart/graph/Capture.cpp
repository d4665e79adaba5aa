// Stream capture.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Capture.h"

#include "cudart/RuntimeCall.h"

#include <vector>

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t Stream, cudaStreamCaptureMode Mode) {
  return deviceCall(__func__, [&](CUcontext C) {
    return beginCapture(C, Stream, static_cast<CUstreamCaptureMode>(Mode), nullptr, nullptr, 0);
  });
}

cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t Stream, cudaGraph_t Graph,
                                                    const cudaGraphNode_t *Deps,
                                                    const cudaGraphEdgeData *, size_t Count,
                                                    cudaStreamCaptureMode Mode) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Graph)
      return CUDA_ERROR_INVALID_VALUE;
    return beginCapture(C, Stream, static_cast<CUstreamCaptureMode>(Mode), Graph, Deps, Count);
  });
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t Stream, cudaGraph_t *Out) {
  return deviceCall(__func__, [&](CUcontext C) { return endCapture(C, Stream, Out); });
}

cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t Stream, cudaStreamCaptureStatus *Out) {
  return deviceCall(__func__, [&](CUcontext C) {
    CaptureInfo Info;
    CUresult R = Out ? captureInfo(C, Stream, &Info) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = static_cast<cudaStreamCaptureStatus>(Info.Status);
    return R;
  });
}

cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t Stream, cudaStreamCaptureStatus *Status,
                                               unsigned long long *Id, cudaGraph_t *Graph,
                                               const cudaGraphNode_t **Deps,
                                               const cudaGraphEdgeData **Edges, size_t *Count) {
  return deviceCall(__func__, [&](CUcontext C) {
    CaptureInfo Info;
    CUresult R = Status ? captureInfo(C, Stream, &Info) : CUDA_ERROR_INVALID_VALUE;
    if (R)
      return R;
    *Status = static_cast<cudaStreamCaptureStatus>(Info.Status);
    if (Info.Status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
      return CUDA_SUCCESS;
    if (Id)
      *Id = Info.Id;
    if (Graph)
      *Graph = Info.Graph;
    if (Deps)
      *Deps = Info.Tail;
    if (Edges)
      *Edges = nullptr;
    if (Count)
      *Count = Info.TailCount;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t Stream,
                                                          cudaGraphNode_t *Nodes,
                                                          const cudaGraphEdgeData *, size_t Count,
                                                          unsigned Flags) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return updateCaptureTail(C, Stream, Nodes, Count, Flags); });
}

cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  return runtimeCall(__func__, [&] {
    static_assert(sizeof(cudaStreamCaptureMode) == sizeof(CUstreamCaptureMode), "");
    return exchangeCaptureMode(reinterpret_cast<CUstreamCaptureMode *>(Mode));
  });
}

} // extern "C"
