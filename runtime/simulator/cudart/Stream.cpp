// Streams and events.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/RuntimeCall.h"
#include "device/stream/Event.h"
#include "device/stream/StreamAttributes.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *Out) {
  return deviceCall(__func__, [&](CUcontext C) { return createStream(C, 0, 0, Out); });
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *Out, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return createStream(C, Flags, 0, Out); });
}

cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *Out, unsigned Flags,
                                                   int Priority) {
  return deviceCall(__func__, [&](CUcontext C) { return createStream(C, Flags, Priority, Out); });
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext) { return destroyStream(Stream); });
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return queryStream(C, Stream); });
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return synchronizeStream(C, Stream); });
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t Stream, cudaEvent_t Event, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return waitEvent(C, Stream, Event, Flags); });
}

cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t Stream, unsigned *Out) {
  return deviceCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Flags; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t Stream, int *Out) {
  return deviceCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Priority; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t Stream, unsigned long long *Out) {
  return deviceCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Id; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t Stream, int *Out) {
  return deviceCall(__func__, [&](CUcontext C) {
    return readStream(C, Stream, Out, [](CUstream_st &S) { return S.Context->Device; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t Stream, cudaStreamAttrID Attr,
                                             cudaStreamAttrValue *Out) {
  static_assert(sizeof(*Out) == sizeof(CUlaunchAttributeValue), "the APIs share this union");
  return deviceCall(__func__, [&](CUcontext C) {
    return getStreamAttribute(C, Stream, Attr, reinterpret_cast<CUlaunchAttributeValue *>(Out));
  });
}

cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t Stream, cudaStreamAttrID Attr,
                                             const cudaStreamAttrValue *Value) {
  return deviceCall(__func__, [&](CUcontext C) {
    return setStreamAttribute(C, Stream, Attr,
                              reinterpret_cast<const CUlaunchAttributeValue *>(Value));
  });
}

cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t Dst, cudaStream_t Src) {
  return deviceCall(__func__, [&](CUcontext C) { return copyStreamAttributes(C, Dst, Src); });
}

cudaError_t CUDARTAPI cudaStreamAttachMemAsync(cudaStream_t Stream, void *, size_t, unsigned) {
  return deviceCall(__func__, [&](CUcontext C) { return enqueue(C, Stream, EmptyOp{}, false); });
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t Stream, cudaHostFn_t Fn, void *Data) {
  return deviceCall(__func__, [&](CUcontext C) {
    HostOp Host;
    Host.Params = {Fn, Data};
    return Fn ? enqueue(C, Stream, Host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t Stream, cudaStreamCallback_t Fn,
                                            void *Data, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    HostOp Host;
    Host.Callback = reinterpret_cast<CUstreamCallback>(Fn);
    Host.CallbackStream = Stream;
    Host.CallbackData = Data;
    return Fn && !Flags ? enqueue(C, Stream, Host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *Out) {
  return deviceCall(__func__, [&](CUcontext C) { return createEvent(C, 0, Out); });
}

cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *Out, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return createEvent(C, Flags, Out); });
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) { return destroyEvent(Event); });
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return recordEvent(C, Event, Stream, 0); });
}

cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t Event, cudaStream_t Stream,
                                               unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return recordEvent(C, Event, Stream, Flags); });
}

cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) { return queryEvent(Event); });
}

cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) { return synchronizeEvent(Event); });
}

cudaError_t CUDARTAPI cudaEventElapsedTime(float *Out, cudaEvent_t Start, cudaEvent_t End) {
  return deviceCall(__func__, [&](CUcontext) { return elapsedTime(Start, End, Out); });
}

} // extern "C"
