// Stream capture.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Capture.h"

#include "cudart/RuntimeCall.h"

#include <vector>

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return deviceCall(__func__, [&](CUcontext c) {
    return beginCapture(c, stream, static_cast<CUstreamCaptureMode>(mode), nullptr, nullptr, 0);
  });
}

cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t *deps,
                                                    const cudaGraphEdgeData *, size_t count,
                                                    cudaStreamCaptureMode mode) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    return beginCapture(c, stream, static_cast<CUstreamCaptureMode>(mode), graph, deps, count);
  });
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out) {
  return deviceCall(__func__, [&](CUcontext c) { return endCapture(c, stream, out); });
}

cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *out) {
  return deviceCall(__func__, [&](CUcontext c) {
    CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult r = captureInfo(c, stream, out ? &now : nullptr, nullptr, nullptr, nullptr, nullptr);
    if (!r)
      *out = static_cast<cudaStreamCaptureStatus>(now);
    return r;
  });
}

cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **deps,
                                               const cudaGraphEdgeData **edges, size_t *count) {
  return deviceCall(__func__, [&](CUcontext c) {
    CUstreamCaptureStatus now = CU_STREAM_CAPTURE_STATUS_NONE;
    uint64_t number = 0;
    if (CUresult r = captureInfo(c, stream, status ? &now : nullptr, &number, graph, deps, count))
      return r;
    *status = static_cast<cudaStreamCaptureStatus>(now);
    if (now != CU_STREAM_CAPTURE_STATUS_ACTIVE)
      return CUDA_SUCCESS;
    if (id)
      *id = number;
    if (edges)
      *edges = nullptr;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t *nodes,
                                                          const cudaGraphEdgeData *, size_t count,
                                                          unsigned flags) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return updateCaptureTail(c, stream, nodes, count, flags); });
}

cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return runtimeCall(__func__, [&] {
    static_assert(sizeof(cudaStreamCaptureMode) == sizeof(CUstreamCaptureMode), "");
    return exchangeCaptureMode(reinterpret_cast<CUstreamCaptureMode *>(mode));
  });
}

} // extern "C"
