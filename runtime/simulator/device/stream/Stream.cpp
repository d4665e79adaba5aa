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
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return int64_t(Now.tv_sec) * 1000000000 + Now.tv_nsec;
}

void finishRecords(Op &Work) {
  auto Finish = [](RecordOp &Record) {
    if (!Record.Record)
      return;
    Record.Record->TimeNs = steadyNs();
    Record.Record->Done = true;
  };
  if (auto *Record = std::get_if<RecordOp>(&Work))
    Finish(*Record);
  if (auto *Graph = std::get_if<std::shared_ptr<GraphOp>>(&Work))
    for (Op &Node : (*Graph)->Nodes)
      if (auto *Record = std::get_if<RecordOp>(&Node))
        Finish(*Record);
}

/// Runs \p Work as the stream's next task. Work dies with the lock held, because the memory that
/// graphs own goes back to the device with it.
void runTask(Lock &L, const StreamRef &Stream, Op Work) {
  Stream->Running = true;
  L.unlock();
  execute(Work, Stream.get());
  L.lock();
  finishRecords(Work);
  Stream->Running = false;
  ++Stream->Completed;
  state().Changed.notify_all();
}

bool allReached(const std::vector<StreamPoint> &Points) {
  return std::all_of(Points.begin(), Points.end(), reached);
}

void work(StreamRef Stream) {
  threadState().InHostFunction = true;
  State &S = state();
  Lock L(S.M);
  for (;;) {
    S.Changed.wait(L, [&] {
      if (Stream->Running)
        return false;
      if (Stream->Queue.empty())
        return Stream->Destroyed;
      return allReached(Stream->Queue.front().After);
    });
    if (Stream->Queue.empty()) {
      Stream->Context->Streams.erase(Stream.get());
      return;
    }
    Op Work = std::move(Stream->Queue.front().Work);
    Stream->Queue.pop_front();
    runTask(L, Stream, std::move(Work));
  }
}

void startWorker(const StreamRef &Stream) {
  if (Stream->HasWorker)
    return;
  // The program's signal handlers must not run on our threads; faults of kernels must be seen.
  sigset_t All, Before;
  sigfillset(&All);
  for (int Signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&All, Signal);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::thread(work, Stream).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  Stream->HasWorker = true;
}

/// The implicit order between the legacy default stream and the blocking streams.
void addLegacyOrder(const StreamRef &Stream, std::vector<StreamPoint> &After) {
  CUcontext Context = Stream->Context;
  if (Stream->IsLegacy) {
    for (auto &Entry : Context->Streams)
      if (Entry.second->blocking() && !isIdle(*Entry.second))
        After.push_back({Entry.second, Entry.second->Submitted});
    return;
  }
  if (Stream->blocking() && Context->Legacy && !isIdle(*Context->Legacy))
    After.push_back({Context->Legacy, Context->Legacy->Submitted});
}

/// All points a caller waits for when it synchronises with \p Stream.
std::vector<StreamPoint> pending(const StreamRef &Stream) {
  std::vector<StreamPoint> Points;
  if (Stream->IsLegacy)
    addLegacyOrder(Stream, Points);
  if (!isIdle(*Stream))
    Points.push_back({Stream, Stream->Submitted});
  return Points;
}

} // namespace

bool isIdle(const CUstream_st &Stream) { return Stream.Completed == Stream.Submitted; }

bool reached(const StreamPoint &Point) {
  return !Point.Stream || Point.Stream->Completed >= Point.Sequence;
}

void waitFor(Lock &L, const StreamPoint &Point) {
  state().Changed.wait(L, [&] { return reached(Point); });
}

void waitForContext(Lock &L, CUcontext Context) {
  std::vector<StreamPoint> Points;
  for (auto &Entry : Context->Streams)
    Points.push_back({Entry.second, Entry.second->Submitted});
  if (Context->Legacy)
    Points.push_back({Context->Legacy, Context->Legacy->Submitted});
  state().Changed.wait(L, [&] { return allReached(Points); });
}

CUresult resolveStream(State &S, CUcontext Current, CUstream Handle, StreamRef &Out) {
  if (!Handle)
    Handle = threadState().PerThreadDefault ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (Handle == CU_STREAM_LEGACY) {
    Out = Current->Legacy;
    return CUDA_SUCCESS;
  }
  if (Handle == CU_STREAM_PER_THREAD) {
    StreamRef &Mine = Current->PerThread[threadState().Id];
    if (!Mine) {
      Mine = std::make_shared<CUstream_st>();
      Mine->Context = Current;
      Mine->IsPerThread = true;
      Mine->Id = S.nextId();
      S.Streams.emplace(Mine.get(), Mine);
      Current->Streams.emplace(Mine.get(), Mine);
    }
    Out = Mine;
    return CUDA_SUCCESS;
  }
  auto Found = S.Streams.find(Handle);
  if (Found == S.Streams.end())
    return CUDA_ERROR_INVALID_HANDLE;
  Out = Found->second;
  return CUDA_SUCCESS;
}

CUresult createStream(CUcontext Context, unsigned Flags, int Priority, CUstream *Out) {
  if (!Out || (Flags & ~unsigned(CU_STREAM_NON_BLOCKING)))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  auto Stream = std::make_shared<CUstream_st>();
  Stream->Context = Context;
  Stream->Flags = Flags;
  Stream->Priority = std::min(0, std::max(-5, Priority));
  Stream->Id = S.nextId();
  S.Streams.emplace(Stream.get(), Stream);
  Context->Streams.emplace(Stream.get(), Stream);
  *Out = Stream.get();
  return CUDA_SUCCESS;
}

CUresult destroyStream(CUstream Handle) {
  State &S = state();
  Lock L(S.M);
  auto Found = S.Streams.find(Handle);
  if (Found == S.Streams.end() || Found->second->IsPerThread)
    return CUDA_ERROR_INVALID_HANDLE;
  StreamRef Stream = Found->second;
  leaveCapture(S, *Stream);
  // Pending work goes on; the worker ends with it.
  Stream->Destroyed = true;
  if (isIdle(*Stream))
    Stream->Context->Streams.erase(Handle);
  S.Streams.erase(Found);
  S.Changed.notify_all();
  return CUDA_SUCCESS;
}

CUresult queryStream(CUcontext Current, CUstream Handle) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (CUresult R = checkStreamQueryAllowed(S, *Stream))
    return R;
  if (CUresult Fault = Stream->Context->Fault)
    return Fault;
  return pending(Stream).empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult synchronizeStream(CUcontext Current, CUstream Handle) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (CUresult R = checkStreamQueryAllowed(S, *Stream))
    return R;
  std::vector<StreamPoint> Points = pending(Stream);
  S.Changed.wait(L, [&] { return allReached(Points); });
  return afterWaiting(L, Stream->Context);
}

CUresult afterWaiting(Lock &L, CUcontext Context) {
  L.unlock();
  Context->Output.flush();
  return Context->Fault;
}

StreamPoint submit(Lock &L, const StreamRef &Stream, Op Work, std::vector<StreamPoint> After) {
  addLegacyOrder(Stream, After);
  After.erase(std::remove_if(After.begin(), After.end(), reached), After.end());
  StreamPoint Point{Stream, ++Stream->Submitted};
  if (auto *Record = std::get_if<RecordOp>(&Work))
    Record->Record->Point = Point;
  if (auto *Graph = std::get_if<std::shared_ptr<GraphOp>>(&Work))
    for (Op &Node : (*Graph)->Nodes)
      if (auto *Record = std::get_if<RecordOp>(&Node))
        Record->Record->Point = Point;
  bool Eager = !Stream->Running && Stream->Queue.empty() && After.empty() && !needsWorker(Work);
  if (Eager) {
    runTask(L, Stream, std::move(Work));
    return Point;
  }
  startWorker(Stream);
  Stream->Queue.push_back({std::move(Work), std::move(After)});
  state().Changed.notify_all();
  return Point;
}

CUresult enqueue(CUcontext Current, CUstream Handle, Op Work, bool Wait) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Current, Handle, Stream))
    return R;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (Stream->Capture)
    return capture(*Stream, std::move(Work));
  StreamPoint Point = submit(L, Stream, std::move(Work));
  if (!Wait)
    return CUDA_SUCCESS;
  waitFor(L, Point);
  return afterWaiting(L, Stream->Context);
}

} // namespace gpuinstr::sim
