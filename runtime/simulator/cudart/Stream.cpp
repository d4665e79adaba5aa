// Streams and events.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/RuntimeCall.h"
#include "device/stream/Event.h"
#include "device/stream/StreamAttributes.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t *out) {
  return deviceCall(__func__, [&](CUcontext c) { return createStream(c, 0, 0, out); });
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return createStream(c, flags, 0, out); });
}

cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags,
                                                   int priority) {
  return deviceCall(__func__, [&](CUcontext c) { return createStream(c, flags, priority, out); });
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext) { return destroyStream(stream); });
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return queryStream(c, stream); });
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return synchronizeStream(c, stream); });
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return waitEvent(c, stream, event, flags); });
}

cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t stream, unsigned *out) {
  return deviceCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.flags; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t stream, int *out) {
  return deviceCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.priority; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t stream, unsigned long long *out) {
  return deviceCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.id; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t stream, int *out) {
  return deviceCall(__func__, [&](CUcontext c) {
    return readStream(c, stream, out, [](CUstream_st &s) { return s.context->device; });
  });
}

cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                             cudaStreamAttrValue *out) {
  static_assert(sizeof(*out) == sizeof(CUlaunchAttributeValue), "the APIs share this union");
  return deviceCall(__func__, [&](CUcontext c) {
    return getStreamAttribute(c, stream, attr, reinterpret_cast<CUlaunchAttributeValue *>(out));
  });
}

cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                             const cudaStreamAttrValue *value) {
  return deviceCall(__func__, [&](CUcontext c) {
    return setStreamAttribute(c, stream, attr,
                              reinterpret_cast<const CUlaunchAttributeValue *>(value));
  });
}

cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return deviceCall(__func__, [&](CUcontext c) { return copyStreamAttributes(c, dst, src); });
}

cudaError_t CUDARTAPI cudaStreamAttachMemAsync(cudaStream_t stream, void *, size_t, unsigned) {
  return deviceCall(__func__, [&](CUcontext c) { return enqueue(c, stream, EmptyOp{}, false); });
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
  return deviceCall(__func__, [&](CUcontext c) {
    HostOp host;
    host.params = {fn, data};
    return fn ? enqueue(c, stream, host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn,
                                            void *data, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    HostOp host;
    host.callback = reinterpret_cast<CUstreamCallback>(fn);
    host.callbackStream = stream;
    host.callbackData = data;
    return fn && !flags ? enqueue(c, stream, host, false) : CUDA_ERROR_INVALID_VALUE;
  });
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t *out) {
  return deviceCall(__func__, [&](CUcontext c) { return createEvent(c, 0, out); });
}

cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return createEvent(c, flags, out); });
}

cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) { return destroyEvent(event); });
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return recordEvent(c, event, stream, 0); });
}

cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                               unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return recordEvent(c, event, stream, flags); });
}

cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) { return queryEvent(event); });
}

cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) { return synchronizeEvent(event); });
}

cudaError_t CUDARTAPI cudaEventElapsedTime(float *out, cudaEvent_t start, cudaEvent_t end) {
  return deviceCall(__func__, [&](CUcontext) { return elapsedTime(start, end, out); });
}

} // extern "C"
