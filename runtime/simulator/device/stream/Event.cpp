// Events: recording, waiting, timing.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Event.h"

#include "device/stream/Capture.h"
#include "device/stream/Stream.h"

namespace gpuinstr::sim {

namespace {
constexpr unsigned KnownFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

bool known(State &S, CUevent Event) { return Event && S.Events.count(Event); }

/// Common to query and synchronise: a captured event cannot be asked, and asking any event is
/// unsafe while someone captures.
CUresult checkQueryAllowed(State &S, CUevent Event) {
  if (!known(S, Event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Event->Capture) {
    if (Event->Capture->Ended)
      return CUDA_ERROR_INVALID_VALUE;
    invalidate(*Event->Capture);
    return CUDA_ERROR_CAPTURED_EVENT;
  }
  return checkUnsafeCall(S);
}

/// A stream that is not capturing waits on an event of a capture: it joins; two captures: an error.
CUresult joinCapture(CUstream_st &Stream, CUevent Event) {
  if (Event->Capture->Ended) {
    if (Stream.Capture)
      invalidate(*Stream.Capture);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (Stream.Capture && Stream.Capture != Event->Capture) {
    invalidate(*Stream.Capture);
    invalidate(*Event->Capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (Stream.IsLegacy) {
    invalidate(*Event->Capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (Event->Capture->Invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  Stream.Capture = Event->Capture;
  for (CUgraphNode Node : Event->CaptureTail) {
    bool Present = false;
    for (CUgraphNode Have : Stream.CaptureTail)
      Present |= Have == Node;
    if (!Present)
      Stream.CaptureTail.push_back(Node);
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult createEvent(CUcontext Context, unsigned Flags, CUevent *Out) {
  if (!Out || (Flags & ~KnownFlags))
    return CUDA_ERROR_INVALID_VALUE;
  if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  auto *Event = new CUevent_st;
  Event->Context = Context;
  Event->Flags = Flags;
  S.Events.insert(Event);
  *Out = Event;
  return CUDA_SUCCESS;
}

CUresult destroyEvent(CUevent Event) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Event))
    return CUDA_ERROR_INVALID_HANDLE;
  S.Events.erase(Event);
  delete Event;
  return CUDA_SUCCESS;
}

CUresult recordEvent(CUcontext Context, CUevent Event, CUstream Handle, unsigned Flags) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Flags & ~unsigned(CU_EVENT_RECORD_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (Stream->Context != Event->Context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (Stream->Capture) {
    if (Stream->Capture->Invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (Flags & CU_EVENT_RECORD_EXTERNAL)
      return capture(*Stream, RecordOp{Event, nullptr});
    Event->Capture = Stream->Capture;
    Event->CaptureTail = Stream->CaptureTail;
    return CUDA_SUCCESS;
  }
  if (Flags & CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_ILLEGAL_STATE;
  Event->Capture.reset();
  Event->Record = std::make_shared<EventRecord>();
  submit(L, Stream, RecordOp{Event, Event->Record});
  return CUDA_SUCCESS;
}

CUresult queryEvent(CUevent Event) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkQueryAllowed(S, Event))
    return R;
  if (CUresult Fault = Event->Context->Fault)
    return Fault;
  if (!Event->Record || Event->Record->Done)
    return CUDA_SUCCESS;
  return CUDA_ERROR_NOT_READY;
}

CUresult synchronizeEvent(CUevent Event) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkQueryAllowed(S, Event))
    return R;
  std::shared_ptr<EventRecord> Record = Event->Record;
  CUcontext Context = Event->Context; // Another thread may destroy the event meanwhile.
  if (Record)
    S.Changed.wait(L, [&] { return Record->Done; });
  return afterWaiting(L, Context);
}

CUresult waitEvent(CUcontext Context, CUstream Handle, CUevent Event, unsigned Flags) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Flags & ~unsigned(CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (Event->Capture)
    return joinCapture(*Stream, Event);
  if (Stream->Capture) {
    if (Flags & CU_EVENT_WAIT_EXTERNAL)
      return capture(*Stream, WaitOp{Event});
    invalidate(*Stream->Capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (Event->Record && !Event->Record->Done)
    submit(L, Stream, EmptyOp{}, {Event->Record->Point});
  return CUDA_SUCCESS;
}

CUresult elapsedTime(CUevent Start, CUevent End, float *Milliseconds) {
  State &S = state();
  Lock L(S.M);
  if (!Milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  for (CUevent Event : {Start, End})
    if (known(S, Event) && Event->Capture)
      return CUDA_ERROR_INVALID_VALUE;
  for (CUevent Event : {Start, End})
    if (!known(S, Event) || !Event->Record || (Event->Flags & CU_EVENT_DISABLE_TIMING))
      return CUDA_ERROR_INVALID_HANDLE;
  for (CUevent Event : {Start, End})
    if (!Event->Record->Done)
      return CUDA_ERROR_NOT_READY;
  *Milliseconds = static_cast<float>((End->Record->TimeNs - Start->Record->TimeNs) / 1e6);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
