// Streams, events, capture, host functions.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/memory/Allocations.h"
#include "device/stream/Capture.h"
#include "device/stream/Event.h"
#include "device/stream/StreamAttributes.h"

using namespace gpuinstr::sim;

namespace {

/// cuStreamWaitValue and cuStreamWriteValue.
CUresult onValue(const char *name, CUstream stream, CUdeviceptr address, uint64_t value,
                 unsigned bytes, unsigned flags, bool wait) {
  return contextCall(name, [&](CUcontext c) {
    {
      Lock l(state().m);
      if (address % bytes || !findAllocation(state(), address))
        return CUDA_ERROR_INVALID_VALUE;
    }
    return enqueue(c, stream, ValueOp{address, value, bytes, flags, wait}, false);
  });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream *out, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return createStream(c, flags, 0, out); });
}
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
  return contextCall(__func__, [&](CUcontext c) { return createStream(c, flags, priority, out); });
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  return contextCall(__func__, [&](CUcontext) { return destroyStream(stream); });
}
CUresult CUDAAPI cuStreamQuery(CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) { return queryStream(c, stream); });
}
CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) { return synchronizeStream(c, stream); });
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return waitEvent(c, stream, event, flags); });
}

CUresult CUDAAPI cuStreamGetPriority(CUstream stream, int *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.priority; });
  });
}
CUresult CUDAAPI cuStreamGetFlags(CUstream stream, unsigned *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.flags; });
  });
}
CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.id; });
  });
}
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.context; });
  });
}
CUresult CUDAAPI cuStreamGetCtx_v2(CUstream stream, CUcontext *out, CUgreenCtx *green) {
  return contextCall(__func__, [&](CUcontext c) {
    if (green)
      *green = nullptr;
    return readStream(c, stream, out, [](CUstream_st &s) { return s.context; });
  });
}
CUresult CUDAAPI cuStreamGetDevice(CUstream stream, CUdevice *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.context->device; });
  });
}
CUresult CUDAAPI cuStreamGetAttribute(CUstream stream, CUstreamAttrID attr,
                                      CUstreamAttrValue *out) {
  return contextCall(__func__,
                     [&](CUcontext c) { return getStreamAttribute(c, stream, attr, out); });
}
CUresult CUDAAPI cuStreamSetAttribute(CUstream stream, CUstreamAttrID attr,
                                      const CUstreamAttrValue *value) {
  return contextCall(__func__,
                     [&](CUcontext c) { return setStreamAttribute(c, stream, attr, value); });
}
CUresult CUDAAPI cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return contextCall(__func__, [&](CUcontext c) { return copyStreamAttributes(c, dst, src); });
}
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream stream, CUdeviceptr, size_t, unsigned) {
  return contextCall(__func__, [&](CUcontext c) { return enqueue(c, stream, EmptyOp{}, false); });
}

CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data) {
  return contextCall(__func__, [&](CUcontext c) {
    HostOp host;
    host.params = {fn, data};
    return fn ? enqueue(c, stream, host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback fn, void *data,
                                     unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) {
    HostOp host;
    host.callback = fn;
    host.callbackStream = stream;
    host.callbackData = data;
    return fn && !flags ? enqueue(c, stream, host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                     unsigned flags) {
  return onValue(__func__, stream, address, value, 4, flags, true);
}
CUresult CUDAAPI cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                     unsigned flags) {
  return onValue(__func__, stream, address, value, 8, flags, true);
}
CUresult CUDAAPI cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                      unsigned flags) {
  return onValue(__func__, stream, address, value, 4, flags, false);
}
CUresult CUDAAPI cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                      unsigned flags) {
  return onValue(__func__, stream, address, value, 8, flags, false);
}

CUresult CUDAAPI cuEventCreate(CUevent *out, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return createEvent(c, flags, out); });
}
CUresult CUDAAPI cuEventDestroy(CUevent event) {
  return driverCall(__func__, [&] { return destroyEvent(event); });
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) { return recordEvent(c, event, stream, 0); });
}
CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return recordEvent(c, event, stream, flags); });
}
CUresult CUDAAPI cuEventQuery(CUevent event) {
  return driverCall(__func__, [&] { return queryEvent(event); });
}
CUresult CUDAAPI cuEventSynchronize(CUevent event) {
  return driverCall(__func__, [&] { return synchronizeEvent(event); });
}
CUresult CUDAAPI cuEventElapsedTime(float *out, CUevent start, CUevent end) {
  return driverCall(__func__, [&] { return elapsedTime(start, end, out); });
}
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *out, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(out, start, end);
}

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return contextCall(
      __func__, [&](CUcontext c) { return beginCapture(c, stream, mode, nullptr, nullptr, 0); });
}
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                             const CUgraphNode *deps, const CUgraphEdgeData *,
                                             size_t count, CUstreamCaptureMode mode) {
  return contextCall(__func__, [&](CUcontext c) {
    return graph ? beginCapture(c, stream, mode, graph, deps, count) : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *out) {
  return contextCall(__func__, [&](CUcontext c) { return endCapture(c, stream, out); });
}
CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *out) {
  return contextCall(__func__, [&](CUcontext c) {
    return captureInfo(c, stream, out, nullptr, nullptr, nullptr, nullptr);
  });
}
CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                        cuuint64_t *id, CUgraph *graph, const CUgraphNode **deps,
                                        const CUgraphEdgeData **edges, size_t *count) {
  return contextCall(__func__, [&](CUcontext c) {
    if (edges)
      *edges = nullptr;
    return captureInfo(c, stream, status, id, graph, deps, count);
  });
}
CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
                                           cuuint64_t *id, CUgraph *graph, const CUgraphNode **deps,
                                           size_t *count) {
  return contextCall(__func__, [&](CUcontext c) {
    return captureInfo(c, stream, status, id, graph, deps, count);
  });
}
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
                                                   const CUgraphEdgeData *, size_t count,
                                                   unsigned flags) {
  return contextCall(
      __func__, [&](CUcontext c) { return updateCaptureTail(c, stream, nodes, count, flags); });
}
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return driverCall(__func__, [&] { return exchangeCaptureMode(mode); });
}

} // extern "C"
