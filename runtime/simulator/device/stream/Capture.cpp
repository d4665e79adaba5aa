// Stream capture: sessions, what joins them, what breaks them.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Capture.h"

#include "device/graph/Graph.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

/// All nodes that \p from depends on, itself included.
void collectAncestors(CUgraphNode from, std::set<CUgraphNode> &seen) {
  std::vector<CUgraphNode> open{from};
  while (!open.empty()) {
    CUgraphNode node = open.back();
    open.pop_back();
    if (!seen.insert(node).second)
      continue;
    open.insert(open.end(), node->deps.begin(), node->deps.end());
  }
}

/// Whether every stream of the session was joined back into the origin.
bool allJoined(State &s, const CaptureSession &session, const CUstream_st &origin) {
  std::set<CUgraphNode> reached;
  for (CUgraphNode node : origin.captureTail)
    collectAncestors(node, reached);
  auto joined = [&](const CUstream_st &stream) {
    if (stream.capture.get() != &session || &stream == &origin)
      return true;
    return std::all_of(stream.captureTail.begin(), stream.captureTail.end(),
                       [&](CUgraphNode node) { return reached.count(node) != 0; });
  };
  return std::all_of(session.left.begin(), session.left.end(),
                     [&](CUgraphNode node) { return reached.count(node) != 0; }) &&
         std::all_of(s.streams.begin(), s.streams.end(),
                     [&](auto &entry) { return joined(*entry.second); });
}

/// Whether all are nodes of \p graph.
bool nodesOf(CUgraph graph, const CUgraphNode *nodes, size_t count) {
  if (count && !nodes)
    return false;
  return std::all_of(nodes, nodes + count,
                     [&](CUgraphNode node) { return isNode(node) && node->graph == graph; });
}

void detach(State &s, const std::shared_ptr<CaptureSession> &session) {
  for (auto &entry : s.streams)
    if (entry.second->capture == session) {
      entry.second->capture.reset();
      entry.second->captureTail.clear();
    }
  session->ended = true;
  s.captures.erase(session);
}

} // namespace

void invalidate(CaptureSession &session) { session.invalid = true; }

void leaveCapture(State &s, CUstream_st &stream) {
  auto session = stream.capture;
  if (!session)
    return;
  if (session->origin == &stream) {
    detach(s, session);
    return;
  }
  session->left.insert(session->left.end(), stream.captureTail.begin(), stream.captureTail.end());
  stream.capture.reset();
}

CUresult capture(CUstream_st &stream, Op work) {
  CaptureSession &session = *stream.capture;
  if (!isGraph(session.graph)) // The program destroyed the graph it captures into.
    invalidate(session);
  if (session.invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (auto *record = std::get_if<RecordOp>(&work))
    record->record.reset();
  CUgraphNode node = addNode(*session.graph, std::move(work), stream.captureTail);
  stream.captureTail = {node};
  return CUDA_SUCCESS;
}

CUresult checkUnsafeCall(State &s) {
  if (s.captures.empty())
    return CUDA_SUCCESS;
  ThreadState &t = threadState();
  if (t.captureMode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  bool offended = false;
  for (auto &session : s.captures) {
    bool own = session->thread == t.id && session->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    bool foreign = session->thread != t.id && session->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   t.captureMode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (own || foreign) {
      invalidate(*session);
      offended = true;
    }
  }
  return offended ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult checkSynchronizeAllowed(State &s, CUcontext context) {
  bool offended = false;
  for (auto &entry : context->streams)
    if (entry.second->capture) {
      invalidate(*entry.second->capture);
      offended = true;
    }
  return offended ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : checkUnsafeCall(s);
}

CUresult checkStreamQueryAllowed(State &s, CUstream_st &stream) {
  if (stream.capture) {
    invalidate(*stream.capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (CUresult r = checkLegacyUse(s, stream))
    return r;
  return checkUnsafeCall(s);
}

CUresult checkLegacyUse(State &s, CUstream_st &stream) {
  if (!stream.isLegacy || s.captures.empty())
    return CUDA_SUCCESS;
  bool offended = false;
  for (auto &entry : s.streams) {
    CUstream_st &other = *entry.second;
    if (other.capture && other.blocking() && other.context == stream.context) {
      invalidate(*other.capture);
      offended = true;
    }
  }
  return offended ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

void abandonCaptures(State &s, CUcontext context) {
  for (auto &entry : context->streams)
    if (auto session = entry.second->capture)
      detach(s, session);
}

CUresult beginCapture(CUcontext current, CUstream handle, CUstreamCaptureMode mode, CUgraph into,
                      const CUgraphNode *deps, size_t count) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->isLegacy)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto session = std::make_shared<CaptureSession>();
  if (into) {
    if (!isGraph(into) || !nodesOf(into, deps, count))
      return CUDA_ERROR_INVALID_VALUE;
    session->graph = into;
  } else {
    session->owned = makeGraph();
    session->graph = session->owned.get();
  }
  session->id = s.nextId();
  session->mode = mode;
  session->thread = threadState().id;
  session->origin = stream.get();
  stream->capture = session;
  stream->captureTail.assign(deps, deps + (deps ? count : 0));
  s.captures.insert(session);
  return CUDA_SUCCESS;
}

CUresult endCapture(CUcontext current, CUstream handle, CUgraph *out) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = nullptr;
  auto session = stream->capture;
  if (!session)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (session->mode != CU_STREAM_CAPTURE_MODE_RELAXED && session->thread != threadState().id) {
    detach(s, session); // The capture is over all the same.
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  if (session->origin != stream.get()) {
    invalidate(*session);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  bool joined = isGraph(session->graph) && allJoined(s, *session, *stream);
  detach(s, session);
  if (session->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!joined)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (!isGraph(session->graph))
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *out = session->graph;
  if (session->owned)
    publishGraph(std::move(session->owned));
  return CUDA_SUCCESS;
}

CUresult exchangeCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, threadState().captureMode);
  return CUDA_SUCCESS;
}

CUresult captureInfo(CUcontext current, CUstream handle, CUstreamCaptureStatus *status,
                     uint64_t *id, CUgraph *graph, const CUgraphNode **tail, size_t *tailCount) {
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (stream->isLegacy) {
    // Asking the legacy stream is an error while a blocking stream captures, but breaks nothing.
    for (auto &entry : s.streams)
      if (entry.second->capture && entry.second->blocking())
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  const CaptureSession *session = stream->isLegacy ? nullptr : stream->capture.get();
  *status = !session           ? CU_STREAM_CAPTURE_STATUS_NONE
            : session->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  if (id)
    *id = session->id;
  if (graph)
    *graph = session->graph;
  if (tail)
    *tail = stream->captureTail.data();
  if (tailCount)
    *tailCount = stream->captureTail.size();
  return CUDA_SUCCESS;
}

CUresult updateCaptureTail(CUcontext current, CUstream handle, const CUgraphNode *nodes,
                           size_t count, unsigned flags) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (!stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (stream->capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!nodesOf(stream->capture->graph, nodes, count) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    stream->captureTail.clear();
  for (size_t i = 0; i < count; ++i)
    stream->captureTail.push_back(nodes[i]);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
