// Stream capture: sessions, what joins them, what breaks them.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Capture.h"

#include "device/graph/Graph.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

/// All nodes that \p From depends on, itself included.
void collectAncestors(CUgraphNode From, std::set<CUgraphNode> &Seen) {
  std::vector<CUgraphNode> Open{From};
  while (!Open.empty()) {
    CUgraphNode Node = Open.back();
    Open.pop_back();
    if (!Seen.insert(Node).second)
      continue;
    Open.insert(Open.end(), Node->Deps.begin(), Node->Deps.end());
  }
}

/// Whether every stream of the session was joined back into the origin.
bool allJoined(State &S, const CaptureSession &Session, const CUstream_st &Origin) {
  std::set<CUgraphNode> Reached;
  for (CUgraphNode Node : Origin.CaptureTail)
    collectAncestors(Node, Reached);
  auto Joined = [&](const CUstream_st &Stream) {
    if (Stream.Capture.get() != &Session || &Stream == &Origin)
      return true;
    return std::all_of(Stream.CaptureTail.begin(), Stream.CaptureTail.end(),
                       [&](CUgraphNode Node) { return Reached.count(Node) != 0; });
  };
  return std::all_of(Session.Left.begin(), Session.Left.end(),
                     [&](CUgraphNode Node) { return Reached.count(Node) != 0; }) &&
         std::all_of(S.Streams.begin(), S.Streams.end(),
                     [&](auto &Entry) { return Joined(*Entry.second); });
}

/// Whether all are nodes of \p Graph.
bool nodesOf(CUgraph Graph, const CUgraphNode *Nodes, size_t Count) {
  if (Count && !Nodes)
    return false;
  return std::all_of(Nodes, Nodes + Count,
                     [&](CUgraphNode Node) { return isNode(Node) && Node->Graph == Graph; });
}

void detach(State &S, const std::shared_ptr<CaptureSession> &Session) {
  for (auto &Entry : S.Streams)
    if (Entry.second->Capture == Session) {
      Entry.second->Capture.reset();
      Entry.second->CaptureTail.clear();
    }
  Session->Ended = true;
  S.Captures.erase(Session);
}

} // namespace

void invalidate(CaptureSession &Session) { Session.Invalid = true; }

void leaveCapture(State &S, CUstream_st &Stream) {
  auto Session = Stream.Capture;
  if (!Session)
    return;
  if (Session->Origin == &Stream) {
    detach(S, Session);
    return;
  }
  Session->Left.insert(Session->Left.end(), Stream.CaptureTail.begin(), Stream.CaptureTail.end());
  Stream.Capture.reset();
}

CUresult capture(CUstream_st &Stream, Op Work) {
  CaptureSession &Session = *Stream.Capture;
  if (!isGraph(Session.Graph)) // The program destroyed the graph it captures into.
    invalidate(Session);
  if (Session.Invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (auto *Record = std::get_if<RecordOp>(&Work))
    Record->Record.reset();
  CUgraphNode Node = addNode(*Session.Graph, std::move(Work), Stream.CaptureTail);
  Stream.CaptureTail = {Node};
  return CUDA_SUCCESS;
}

CUresult checkUnsafeCall(State &S) {
  if (S.Captures.empty())
    return CUDA_SUCCESS;
  ThreadState &T = threadState();
  if (T.CaptureMode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  bool Offended = false;
  for (auto &Session : S.Captures) {
    bool Own = Session->Thread == T.Id && Session->Mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    bool Foreign = Session->Thread != T.Id && Session->Mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   T.CaptureMode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (Own || Foreign) {
      invalidate(*Session);
      Offended = true;
    }
  }
  return Offended ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult checkSynchronizeAllowed(State &S, CUcontext Context) {
  bool Offended = false;
  for (auto &Entry : Context->Streams)
    if (Entry.second->Capture) {
      invalidate(*Entry.second->Capture);
      Offended = true;
    }
  return Offended ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : checkUnsafeCall(S);
}

CUresult checkStreamQueryAllowed(State &S, CUstream_st &Stream) {
  if (Stream.Capture) {
    invalidate(*Stream.Capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (CUresult R = checkLegacyUse(S, Stream))
    return R;
  return checkUnsafeCall(S);
}

CUresult checkLegacyUse(State &S, CUstream_st &Stream) {
  if (!Stream.IsLegacy || S.Captures.empty())
    return CUDA_SUCCESS;
  bool Offended = false;
  for (auto &Entry : S.Streams) {
    CUstream_st &Other = *Entry.second;
    if (Other.Capture && Other.blocking() && Other.Context == Stream.Context) {
      invalidate(*Other.Capture);
      Offended = true;
    }
  }
  return Offended ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

void abandonCaptures(State &S, CUcontext Context) {
  for (auto &Entry : Context->Streams)
    if (auto Session = Entry.second->Capture)
      detach(S, Session);
}

CUresult beginCapture(CUcontext Current, CUstream Handle, CUstreamCaptureMode Mode, CUgraph Into,
                      const CUgraphNode *Deps, size_t Count) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (Mode < CU_STREAM_CAPTURE_MODE_GLOBAL || Mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (Stream->IsLegacy)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (Stream->Capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto Session = std::make_shared<CaptureSession>();
  if (Into) {
    if (!isGraph(Into) || !nodesOf(Into, Deps, Count))
      return CUDA_ERROR_INVALID_VALUE;
    Session->Graph = Into;
  } else {
    Session->Owned = makeGraph();
    Session->Graph = Session->Owned.get();
  }
  Session->Id = S.nextId();
  Session->Mode = Mode;
  Session->Thread = threadState().Id;
  Session->Origin = Stream.get();
  Stream->Capture = Session;
  Stream->CaptureTail.assign(Deps, Deps + (Deps ? Count : 0));
  S.Captures.insert(Session);
  return CUDA_SUCCESS;
}

CUresult endCapture(CUcontext Current, CUstream Handle, CUgraph *Out) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = nullptr;
  auto Session = Stream->Capture;
  if (!Session)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (Session->Mode != CU_STREAM_CAPTURE_MODE_RELAXED && Session->Thread != threadState().Id) {
    detach(S, Session); // The capture is over all the same.
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  if (Session->Origin != Stream.get()) {
    invalidate(*Session);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  bool Joined = isGraph(Session->Graph) && allJoined(S, *Session, *Stream);
  detach(S, Session);
  if (Session->Invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!Joined)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (!isGraph(Session->Graph))
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *Out = Session->Graph;
  if (Session->Owned)
    publishGraph(std::move(Session->Owned));
  return CUDA_SUCCESS;
}

CUresult exchangeCaptureMode(CUstreamCaptureMode *Mode) {
  if (!Mode)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*Mode, threadState().CaptureMode);
  return CUDA_SUCCESS;
}

CUresult captureInfo(CUcontext Current, CUstream Handle, CaptureInfo *Info) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (Stream->IsLegacy) {
    // Asking the legacy stream is an error while a blocking stream captures, but breaks nothing.
    for (auto &Entry : S.Streams)
      if (Entry.second->Capture && Entry.second->blocking())
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return CUDA_SUCCESS;
  }
  if (!Stream->Capture)
    return CUDA_SUCCESS;
  Info->Status = Stream->Capture->Invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                          : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  Info->Id = Stream->Capture->Id;
  Info->Graph = Stream->Capture->Graph;
  Info->Tail = Stream->CaptureTail.data();
  Info->TailCount = Stream->CaptureTail.size();
  return CUDA_SUCCESS;
}

CUresult updateCaptureTail(CUcontext Current, CUstream Handle, const CUgraphNode *Nodes,
                           size_t Count, unsigned Flags) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (!Stream->Capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (Stream->Capture->Invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!nodesOf(Stream->Capture->Graph, Nodes, Count) || Flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  if (Flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    Stream->CaptureTail.clear();
  for (size_t I = 0; I < Count; ++I)
    Stream->CaptureTail.push_back(Nodes[I]);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
