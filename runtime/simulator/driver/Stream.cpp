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
CUresult value(const char *Name, CUstream Stream, CUdeviceptr Address, uint64_t Value,
               unsigned Bytes, unsigned Flags, bool Wait) {
  return contextCall(Name, [&](CUcontext C) {
    {
      Lock L(state().M);
      if (Address % Bytes || !findAllocation(state(), Address))
        return CUDA_ERROR_INVALID_VALUE;
    }
    return enqueue(C, Stream, ValueOp{Address, Value, Bytes, Flags, Wait}, false);
  });
}

CUresult fillInfo(CUcontext C, CUstream Stream, CUstreamCaptureStatus *Status, cuuint64_t *Id,
                  CUgraph *Graph, const CUgraphNode **Deps, size_t *Count) {
  CaptureInfo Info;
  CUresult R = Status ? captureInfo(C, Stream, &Info) : CUDA_ERROR_INVALID_VALUE;
  if (R)
    return R;
  *Status = Info.Status;
  if (Info.Status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  if (Id)
    *Id = Info.Id;
  if (Graph)
    *Graph = Info.Graph;
  if (Deps)
    *Deps = Info.Tail;
  if (Count)
    *Count = Info.TailCount;
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream *Out, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return createStream(C, Flags, 0, Out); });
}
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *Out, unsigned Flags, int Priority) {
  return contextCall(__func__, [&](CUcontext C) { return createStream(C, Flags, Priority, Out); });
}
CUresult CUDAAPI cuStreamDestroy(CUstream Stream) {
  return contextCall(__func__, [&](CUcontext) { return destroyStream(Stream); });
}
CUresult CUDAAPI cuStreamQuery(CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) { return queryStream(C, Stream); });
}
CUresult CUDAAPI cuStreamSynchronize(CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) { return synchronizeStream(C, Stream); });
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream Stream, CUevent Event, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return waitEvent(C, Stream, Event, Flags); });
}

CUresult CUDAAPI cuStreamGetPriority(CUstream Stream, int *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Priority; });
  });
}
CUresult CUDAAPI cuStreamGetFlags(CUstream Stream, unsigned *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Flags; });
  });
}
CUresult CUDAAPI cuStreamGetId(CUstream Stream, unsigned long long *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Id; });
  });
}
CUresult CUDAAPI cuStreamGetCtx(CUstream Stream, CUcontext *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Context; });
  });
}
CUresult CUDAAPI cuStreamGetCtx_v2(CUstream Stream, CUcontext *Out, CUgreenCtx *Green) {
  return contextCall(__func__, [&](CUcontext C) {
    if (Green)
      *Green = nullptr;
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Context; });
  });
}
CUresult CUDAAPI cuStreamGetDevice(CUstream Stream, CUdevice *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Context->Device; });
  });
}
CUresult CUDAAPI cuStreamGetAttribute(CUstream Stream, CUstreamAttrID Attr,
                                      CUstreamAttrValue *Out) {
  return contextCall(__func__,
                     [&](CUcontext C) { return getStreamAttribute(C, Stream, Attr, Out); });
}
CUresult CUDAAPI cuStreamSetAttribute(CUstream Stream, CUstreamAttrID Attr,
                                      const CUstreamAttrValue *Value) {
  return contextCall(__func__,
                     [&](CUcontext C) { return setStreamAttribute(C, Stream, Attr, Value); });
}
CUresult CUDAAPI cuStreamCopyAttributes(CUstream Dst, CUstream Src) {
  return contextCall(__func__, [&](CUcontext C) { return copyStreamAttributes(C, Dst, Src); });
}
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream Stream, CUdeviceptr, size_t, unsigned) {
  return contextCall(__func__, [&](CUcontext C) { return enqueue(C, Stream, EmptyOp{}, false); });
}

CUresult CUDAAPI cuLaunchHostFunc(CUstream Stream, CUhostFn Fn, void *Data) {
  return contextCall(__func__, [&](CUcontext C) {
    HostOp Host;
    Host.Params = {Fn, Data};
    return Fn ? enqueue(C, Stream, Host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuStreamAddCallback(CUstream Stream, CUstreamCallback Fn, void *Data,
                                     unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) {
    HostOp Host;
    Host.Callback = Fn;
    Host.CallbackStream = Stream;
    Host.CallbackData = Data;
    return Fn && !Flags ? enqueue(C, Stream, Host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuStreamWaitValue32(CUstream Stream, CUdeviceptr Address, cuuint32_t Value,
                                     unsigned Flags) {
  return value(__func__, Stream, Address, Value, 4, Flags, true);
}
CUresult CUDAAPI cuStreamWaitValue64(CUstream Stream, CUdeviceptr Address, cuuint64_t Value,
                                     unsigned Flags) {
  return value(__func__, Stream, Address, Value, 8, Flags, true);
}
CUresult CUDAAPI cuStreamWriteValue32(CUstream Stream, CUdeviceptr Address, cuuint32_t Value,
                                      unsigned Flags) {
  return value(__func__, Stream, Address, Value, 4, Flags, false);
}
CUresult CUDAAPI cuStreamWriteValue64(CUstream Stream, CUdeviceptr Address, cuuint64_t Value,
                                      unsigned Flags) {
  return value(__func__, Stream, Address, Value, 8, Flags, false);
}

CUresult CUDAAPI cuEventCreate(CUevent *Out, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return createEvent(C, Flags, Out); });
}
CUresult CUDAAPI cuEventDestroy(CUevent Event) {
  return driverCall(__func__, [&] { return destroyEvent(Event); });
}
CUresult CUDAAPI cuEventRecord(CUevent Event, CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) { return recordEvent(C, Event, Stream, 0); });
}
CUresult CUDAAPI cuEventRecordWithFlags(CUevent Event, CUstream Stream, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return recordEvent(C, Event, Stream, Flags); });
}
CUresult CUDAAPI cuEventQuery(CUevent Event) {
  return driverCall(__func__, [&] { return queryEvent(Event); });
}
CUresult CUDAAPI cuEventSynchronize(CUevent Event) {
  return driverCall(__func__, [&] { return synchronizeEvent(Event); });
}
CUresult CUDAAPI cuEventElapsedTime(float *Out, CUevent Start, CUevent End) {
  return driverCall(__func__, [&] { return elapsedTime(Start, End, Out); });
}
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *Out, CUevent Start, CUevent End) {
  return cuEventElapsedTime_v2(Out, Start, End);
}

CUresult CUDAAPI cuStreamBeginCapture(CUstream Stream, CUstreamCaptureMode Mode) {
  return contextCall(
      __func__, [&](CUcontext C) { return beginCapture(C, Stream, Mode, nullptr, nullptr, 0); });
}
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream Stream, CUgraph Graph,
                                             const CUgraphNode *Deps, const CUgraphEdgeData *,
                                             size_t Count, CUstreamCaptureMode Mode) {
  return contextCall(__func__, [&](CUcontext C) {
    return Graph ? beginCapture(C, Stream, Mode, Graph, Deps, Count) : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuStreamEndCapture(CUstream Stream, CUgraph *Out) {
  return contextCall(__func__, [&](CUcontext C) { return endCapture(C, Stream, Out); });
}
CUresult CUDAAPI cuStreamIsCapturing(CUstream Stream, CUstreamCaptureStatus *Out) {
  return contextCall(__func__, [&](CUcontext C) {
    return fillInfo(C, Stream, Out, nullptr, nullptr, nullptr, nullptr);
  });
}
CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream Stream, CUstreamCaptureStatus *Status,
                                        cuuint64_t *Id, CUgraph *Graph, const CUgraphNode **Deps,
                                        const CUgraphEdgeData **Edges, size_t *Count) {
  return contextCall(__func__, [&](CUcontext C) {
    if (Edges)
      *Edges = nullptr;
    return fillInfo(C, Stream, Status, Id, Graph, Deps, Count);
  });
}
CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream Stream, CUstreamCaptureStatus *Status,
                                           cuuint64_t *Id, CUgraph *Graph, const CUgraphNode **Deps,
                                           size_t *Count) {
  return contextCall(
      __func__, [&](CUcontext C) { return fillInfo(C, Stream, Status, Id, Graph, Deps, Count); });
}
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream Stream, CUgraphNode *Nodes,
                                                   const CUgraphEdgeData *, size_t Count,
                                                   unsigned Flags) {
  return contextCall(
      __func__, [&](CUcontext C) { return updateCaptureTail(C, Stream, Nodes, Count, Flags); });
}
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *Mode) {
  return driverCall(__func__, [&] { return exchangeCaptureMode(Mode); });
}

} // extern "C"
