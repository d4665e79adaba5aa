// Streams: queues of work, their order, waiting for them.
// SPDX-License-Identifier: Apache-2.0
#include "device/stream/Stream.h"

#include "device/stream/Capture.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <thread>

namespace gpuinstr::sim {

namespace {

int64_t steadyNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void finishRecords(Op &work) {
  auto finish = [](RecordOp &record) {
    if (!record.record)
      return;
    record.record->timeNs = steadyNs();
    record.record->done = true;
  };
  if (auto *record = std::get_if<RecordOp>(&work))
    finish(*record);
  if (auto *graph = std::get_if<std::shared_ptr<GraphOp>>(&work))
    for (Op &node : (*graph)->nodes)
      if (auto *record = std::get_if<RecordOp>(&node))
        finish(*record);
}

/// Runs \p work as the stream's next task. Work dies with the lock held, because the memory that
/// graphs own goes back to the device with it.
void runTask(Lock &l, const StreamRef &stream, Op work) {
  stream->running = true;
  l.unlock();
  execute(work, stream.get());
  l.lock();
  finishRecords(work);
  stream->running = false;
  ++stream->completed;
  state().changed.notify_all();
}

bool allReached(const std::vector<StreamPoint> &points) {
  return std::all_of(points.begin(), points.end(), reached);
}

void work(StreamRef stream) {
  threadState().inHostFunction = true;
  State &s = state();
  Lock l(s.m);
  for (;;) {
    s.changed.wait(l, [&] {
      if (stream->running)
        return false;
      if (stream->queue.empty())
        return stream->destroyed;
      return allReached(stream->queue.front().after);
    });
    if (stream->queue.empty()) {
      stream->context->streams.erase(stream.get());
      return;
    }
    Op work = std::move(stream->queue.front().work);
    stream->queue.pop_front();
    runTask(l, stream, std::move(work));
  }
}

void startWorker(const StreamRef &stream) {
  if (stream->hasWorker)
    return;
  // The program's signal handlers must not run on our threads; faults of kernels must be seen.
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work, stream).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  stream->hasWorker = true;
}

/// The implicit order between the legacy default stream and the blocking streams.
void addLegacyOrder(const StreamRef &stream, std::vector<StreamPoint> &after) {
  CUcontext context = stream->context;
  if (stream->isLegacy) {
    for (auto &entry : context->streams)
      if (entry.second->blocking() && !isIdle(*entry.second))
        after.push_back({entry.second, entry.second->submitted});
    return;
  }
  if (stream->blocking() && context->legacy && !isIdle(*context->legacy))
    after.push_back({context->legacy, context->legacy->submitted});
}

/// All points a caller waits for when it synchronises with \p stream.
std::vector<StreamPoint> pending(const StreamRef &stream) {
  std::vector<StreamPoint> points;
  if (stream->isLegacy)
    addLegacyOrder(stream, points);
  if (!isIdle(*stream))
    points.push_back({stream, stream->submitted});
  return points;
}

} // namespace

bool isIdle(const CUstream_st &stream) { return stream.completed == stream.submitted; }

bool reached(const StreamPoint &point) {
  return !point.stream || point.stream->completed >= point.sequence;
}

void waitFor(Lock &l, const StreamPoint &point) {
  state().changed.wait(l, [&] { return reached(point); });
}

bool hasWork(const CUctx_st &context) {
  return (context.legacy && !isIdle(*context.legacy)) ||
         std::any_of(context.streams.begin(), context.streams.end(),
                     [](const auto &entry) { return !isIdle(*entry.second); });
}

std::vector<StreamPoint> workOf(const CUctx_st &context) {
  std::vector<StreamPoint> points;
  for (auto &entry : context.streams)
    points.push_back({entry.second, entry.second->submitted});
  if (context.legacy)
    points.push_back({context.legacy, context.legacy->submitted});
  return points;
}

void waitForContext(Lock &l, CUcontext context) {
  const std::vector<StreamPoint> points = workOf(*context);
  state().changed.wait(l, [&] { return allReached(points); });
}

CUresult resolveStream(State &s, CUcontext current, CUstream handle, StreamRef &out) {
  if (!handle)
    handle = threadState().perThreadDefault ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (handle == CU_STREAM_LEGACY) {
    out = current->legacy;
    return CUDA_SUCCESS;
  }
  if (handle == CU_STREAM_PER_THREAD) {
    StreamRef &mine = current->perThread[threadState().id];
    if (!mine) {
      mine = std::make_shared<CUstream_st>();
      mine->context = current;
      mine->isPerThread = true;
      mine->id = s.nextId();
      s.streams.emplace(mine.get(), mine);
      current->streams.emplace(mine.get(), mine);
    }
    out = mine;
    return CUDA_SUCCESS;
  }
  auto found = s.streams.find(handle);
  if (found == s.streams.end())
    return CUDA_ERROR_INVALID_HANDLE;
  out = found->second;
  return CUDA_SUCCESS;
}

CUresult createStream(CUcontext context, unsigned flags, int priority, CUstream *out) {
  if (!out || (flags & ~unsigned(CU_STREAM_NON_BLOCKING)))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  auto stream = std::make_shared<CUstream_st>();
  stream->context = context;
  stream->flags = flags;
  stream->priority = std::min(0, std::max(-5, priority));
  stream->id = s.nextId();
  s.streams.emplace(stream.get(), stream);
  context->streams.emplace(stream.get(), stream);
  *out = stream.get();
  return CUDA_SUCCESS;
}

CUresult destroyStream(CUstream handle) {
  State &s = state();
  Lock l(s.m);
  auto found = s.streams.find(handle);
  if (found == s.streams.end() || found->second->isPerThread)
    return CUDA_ERROR_INVALID_HANDLE;
  StreamRef stream = found->second;
  leaveCapture(s, *stream);
  // Pending work goes on; the worker ends with it.
  stream->destroyed = true;
  if (isIdle(*stream))
    stream->context->streams.erase(handle);
  s.streams.erase(found);
  s.changed.notify_all();
  return CUDA_SUCCESS;
}

CUresult queryStream(CUcontext current, CUstream handle) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (CUresult r = checkStreamQueryAllowed(s, *stream))
    return r;
  if (CUresult fault = stream->context->fault)
    return fault;
  return pending(stream).empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult synchronizeStream(CUcontext current, CUstream handle) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (CUresult r = checkStreamQueryAllowed(s, *stream))
    return r;
  std::vector<StreamPoint> points = pending(stream);
  s.changed.wait(l, [&] { return allReached(points); });
  return afterWaiting(l, stream->context);
}

CUresult afterWaiting(Lock &l, CUcontext context) {
  l.unlock();
  context->output.flush();
  return context->fault;
}

StreamPoint submit(Lock &l, const StreamRef &stream, Op work, std::vector<StreamPoint> after) {
  addLegacyOrder(stream, after);
  after.erase(std::remove_if(after.begin(), after.end(), reached), after.end());
  StreamPoint point{stream, ++stream->submitted};
  if (auto *record = std::get_if<RecordOp>(&work))
    record->record->point = point;
  if (auto *graph = std::get_if<std::shared_ptr<GraphOp>>(&work))
    for (Op &node : (*graph)->nodes)
      if (auto *record = std::get_if<RecordOp>(&node))
        record->record->point = point;
  bool eager = !stream->running && stream->queue.empty() && after.empty() && !needsWorker(work);
  if (eager) {
    runTask(l, stream, std::move(work));
    return point;
  }
  startWorker(stream);
  stream->queue.push_back({std::move(work), std::move(after)});
  state().changed.notify_all();
  return point;
}

CUresult enqueue(CUcontext current, CUstream handle, Op work, bool wait) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, current, handle, stream))
    return r;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (stream->capture)
    return capture(*stream, std::move(work));
  StreamPoint point = submit(l, stream, std::move(work));
  if (!wait)
    return CUDA_SUCCESS;
  waitFor(l, point);
  return afterWaiting(l, stream->context);
}

} // namespace gpuinstr::sim
