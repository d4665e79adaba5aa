// Events: recording, waiting, timing.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Event.h"

#include "device/stream/Capture.h"
#include "device/stream/Stream.h"

namespace gpuinstr::sim {

namespace {
constexpr unsigned KnownFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

bool known(State &s, CUevent event) { return event && s.events.count(event); }

/// Common to query and synchronise: a captured event cannot be asked, and asking any event is
/// unsafe while someone captures.
CUresult checkQueryAllowed(State &s, CUevent event) {
  if (!known(s, event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) {
    if (event->capture->ended)
      return CUDA_ERROR_INVALID_VALUE;
    invalidate(*event->capture);
    return CUDA_ERROR_CAPTURED_EVENT;
  }
  return checkUnsafeCall(s);
}

/// A stream that is not capturing waits on an event of a capture: it joins; two captures: an error.
CUresult joinCapture(CUstream_st &stream, CUevent event) {
  if (event->capture->ended) {
    if (stream.capture)
      invalidate(*stream.capture);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream.capture && stream.capture != event->capture) {
    invalidate(*stream.capture);
    invalidate(*event->capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (stream.isLegacy) {
    invalidate(*event->capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (event->capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  stream.capture = event->capture;
  for (CUgraphNode node : event->captureTail) {
    bool present = false;
    for (CUgraphNode have : stream.captureTail)
      present |= have == node;
    if (!present)
      stream.captureTail.push_back(node);
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult createEvent(CUcontext context, unsigned flags, CUevent *out) {
  if (!out || (flags & ~KnownFlags))
    return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  auto *event = new CUevent_st;
  event->context = context;
  event->flags = flags;
  s.events.insert(event);
  *out = event;
  return CUDA_SUCCESS;
}

CUresult destroyEvent(CUevent event) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, event))
    return CUDA_ERROR_INVALID_HANDLE;
  s.events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

CUresult recordEvent(CUcontext context, CUevent event, CUstream handle, unsigned flags) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags & ~unsigned(CU_EVENT_RECORD_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (stream->context != event->context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (stream->capture) {
    if (stream->capture->invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (flags & CU_EVENT_RECORD_EXTERNAL)
      return capture(*stream, RecordOp{event, nullptr});
    event->capture = stream->capture;
    event->captureTail = stream->captureTail;
    return CUDA_SUCCESS;
  }
  if (flags & CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_ILLEGAL_STATE;
  event->capture.reset();
  event->record = std::make_shared<EventRecord>();
  submit(l, stream, RecordOp{event, event->record});
  return CUDA_SUCCESS;
}

CUresult queryEvent(CUevent event) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkQueryAllowed(s, event))
    return r;
  if (CUresult fault = event->context->fault)
    return fault;
  if (!event->record || event->record->done)
    return CUDA_SUCCESS;
  return CUDA_ERROR_NOT_READY;
}

CUresult synchronizeEvent(CUevent event) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkQueryAllowed(s, event))
    return r;
  std::shared_ptr<EventRecord> record = event->record;
  CUcontext context = event->context; // Another thread may destroy the event meanwhile.
  if (record)
    s.changed.wait(l, [&] { return record->done; });
  return afterWaiting(l, context);
}

CUresult waitEvent(CUcontext context, CUstream handle, CUevent event, unsigned flags) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags & ~unsigned(CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (event->capture)
    return joinCapture(*stream, event);
  if (stream->capture) {
    if (flags & CU_EVENT_WAIT_EXTERNAL)
      return capture(*stream, WaitOp{event});
    invalidate(*stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (event->record && !event->record->done)
    submit(l, stream, EmptyOp{}, {event->record->point});
  return CUDA_SUCCESS;
}

CUresult elapsedTime(CUevent start, CUevent end, float *milliseconds) {
  State &s = state();
  Lock l(s.m);
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  for (CUevent event : {start, end})
    if (known(s, event) && event->capture)
      return CUDA_ERROR_INVALID_VALUE;
  for (CUevent event : {start, end})
    if (!known(s, event) || !event->record || (event->flags & CU_EVENT_DISABLE_TIMING))
      return CUDA_ERROR_INVALID_HANDLE;
  for (CUevent event : {start, end})
    if (!event->record->done)
      return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>((end->record->timeNs - start->record->timeNs) / 1e6);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
