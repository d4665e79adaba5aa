// Stream capture: what breaks it and how; graphs.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <thread>

/// Captures on a fresh stream, runs \p body inside, ends, and tells how the capture ended.
template <typename F>
static void capturing(const char *Name, cudaStreamCaptureMode Mode, unsigned Flags, F &&Body) {
  section(Name);
  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaStreamCreateWithFlags(&Stream, Flags);
  cudaStreamBeginCapture(Stream, Mode);
  Body(Stream);
  cudaStreamCaptureStatus Status = (cudaStreamCaptureStatus)9;
  ASK(cudaStreamIsCapturing(Stream, &Status));
  SHOW(Status);
  ASK(cudaStreamEndCapture(Stream, &Graph));
  SHOW(Graph != nullptr);
  if (Graph) {
    size_t Nodes = 99;
    cudaGraphGetNodes(Graph, nullptr, &Nodes);
    SHOW(Nodes);
    cudaGraphDestroy(Graph);
  }
  cudaStreamDestroy(Stream);
  cudaGetLastError();
}

static void nothing(void *) {}

template <typename F> static void inThread(F &&Body) { std::thread(Body).join(); }

static void probeUnsafe(const char *Name, cudaStreamCaptureMode Mode) {
  static cudaEvent_t Done = nullptr;
  if (!Done) {
    cudaEventCreate(&Done);
    cudaEventRecord(Done, 0);
    cudaEventSynchronize(Done);
  }
  auto Run = [&](auto Body) { capturing(Name, Mode, cudaStreamNonBlocking, Body); };
  Run([](cudaStream_t) {
    void *P = nullptr;
    ASK(cudaMalloc(&P, 16));
    cudaFree(P);
  });
  Run([](cudaStream_t) {
    inThread([] {
      void *P = nullptr;
      ASK(cudaMalloc(&P, 16));
      cudaFree(P);
    });
  });
  Run([](cudaStream_t) { inThread([] { ASK(cudaEventQuery(Done)); }); });
  Run([](cudaStream_t) { ASK(cudaEventQuery(Done)); });
  Run([](cudaStream_t) {
    inThread([] {
      cudaStreamCaptureMode Relaxed = cudaStreamCaptureModeRelaxed;
      ASK(cudaThreadExchangeStreamCaptureMode(&Relaxed));
      SHOW(Relaxed);
      ASK(cudaEventQuery(Done));
    });
  });
  Run([](cudaStream_t) {
    cudaStreamCaptureMode Relaxed = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&Relaxed);
    ASK(cudaEventQuery(Done));
    void *P = nullptr;
    ASK(cudaMalloc(&P, 16));
    ASK(cudaFree(P));
    cudaThreadExchangeStreamCaptureMode(&Relaxed);
  });
  Run([](cudaStream_t) {
    inThread([] {
      cudaStreamCaptureMode Local = cudaStreamCaptureModeThreadLocal;
      cudaThreadExchangeStreamCaptureMode(&Local);
      ASK(cudaEventQuery(Done));
    });
  });
}

/// One call each under a capture of this thread in global mode, on a stream of its own.
static void probeCalls() {
  static char Host[64];
  static char *Dev = nullptr, *Pinned = nullptr;
  static cudaStream_t Other = nullptr;
  cudaMalloc(&Dev, 4096);
  cudaHostAlloc(&Pinned, 4096, 0);
  cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking);
  auto Run = [&](auto Body) {
    capturing("call under capture", cudaStreamCaptureModeGlobal, cudaStreamNonBlocking, Body);
  };
  Run([](cudaStream_t) { ASK(cudaMemcpy(Dev, Host, 16, cudaMemcpyHostToDevice)); });
  Run([](cudaStream_t) { ASK(cudaMemset(Dev, 0, 16)); });
  Run([](cudaStream_t) { ASK(launchEmpty(0)); });
  Run([](cudaStream_t S) { ASK(launchEmpty(S)); });
  Run([](cudaStream_t S) { ASK(cudaStreamSynchronize(S)); });
  Run([](cudaStream_t S) { ASK(cudaStreamQuery(S)); });
  Run([](cudaStream_t) { ASK(cudaStreamQuery(Other)); });
  Run([](cudaStream_t) { ASK(cudaStreamSynchronize(Other)); });
  Run([](cudaStream_t) { ASK(cudaStreamSynchronize(0)); });
  Run([](cudaStream_t) { ASK(cudaDeviceSynchronize()); });
  Run([](cudaStream_t S) { ASK(cudaMemcpyAsync(Dev, Host, 16, cudaMemcpyHostToDevice, S)); });
  Run([](cudaStream_t S) { ASK(cudaMemcpyAsync(Pinned, Dev, 16, cudaMemcpyDeviceToHost, S)); });
  Run([](cudaStream_t S) { ASK(cudaMemsetAsync(Dev, 0, 16, S)); });
  Run([](cudaStream_t) { ASK(cudaMemsetAsync(Dev, 0, 16, Other)); });
  Run([](cudaStream_t) {
    size_t Free = 0, Total = 0;
    ASK(cudaMemGetInfo(&Free, &Total));
  });
  Run([](cudaStream_t) {
    cudaStream_t Made = nullptr;
    ASK(cudaStreamCreate(&Made));
    ASK(cudaStreamDestroy(Made));
  });
  Run([](cudaStream_t) {
    cudaEvent_t Made = nullptr;
    ASK(cudaEventCreate(&Made));
    ASK(cudaEventRecord(Made, Other));
    ASK(cudaEventDestroy(Made));
  });
  Run([](cudaStream_t) {
    void *P = nullptr;
    ASK(cudaHostAlloc(&P, 4096, 0));
  });
  Run([](cudaStream_t) { ASK(cudaFree(nullptr)); });
  Run([](cudaStream_t) {
    cudaPointerAttributes A;
    ASK(cudaPointerGetAttributes(&A, Dev));
  });
  Run([](cudaStream_t) {
    CUdeviceptr Base = 0;
    ASK_DRIVER(cuMemGetAddressRange(&Base, nullptr, (CUdeviceptr)Dev));
  });
  Run([](cudaStream_t S) {
    void *P = nullptr;
    ASK(cudaMallocAsync(&P, 64, S));
    ASK(cudaFreeAsync(P, S));
  });
  Run([](cudaStream_t S) { ASK(cudaLaunchHostFunc(S, nothing, nullptr)); });
  Run([](cudaStream_t S) { ASK(cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal)); });
  Run([](cudaStream_t S) {
    cudaGraph_t G = nullptr;
    ASK(cudaStreamEndCapture(Other, &G));
    inThread([=] {
      cudaGraph_t G = nullptr;
      ASK(cudaStreamEndCapture(S, &G));
    });
  });
  Run([](cudaStream_t) { ASK(launchEmpty(0, 1, 5000)); });
  Run([](cudaStream_t S) { ASK(launchEmpty(S, 1, 5000)); });
  Run([](cudaStream_t S) {
    ASK(cudaMemcpyAsync(Dev, Host, size_t(1) << 40, cudaMemcpyHostToDevice, S));
  });
  auto RunBlocking = [&](auto Body) {
    capturing("call under capture of a blocking stream", cudaStreamCaptureModeRelaxed, 0, Body);
  };
  RunBlocking([](cudaStream_t) { ASK(launchEmpty(0)); });
  RunBlocking([](cudaStream_t) { ASK(cudaMemcpy(Dev, Host, 16, cudaMemcpyHostToDevice)); });
  RunBlocking([](cudaStream_t) {
    cudaStreamCaptureStatus Status = (cudaStreamCaptureStatus)9;
    ASK(cudaStreamIsCapturing(0, &Status));
  });
  RunBlocking([](cudaStream_t) { ASK(cudaStreamSynchronize(0)); });
  RunBlocking([](cudaStream_t) { ASK(cudaStreamQuery(0)); });
  RunBlocking([](cudaStream_t) { ASK(cudaDeviceSynchronize()); });
  cudaFree(Dev);
  cudaFreeHost(Pinned);
  cudaStreamDestroy(Other);
}

static void probeForkJoin() {
  static cudaStream_t Side = nullptr;
  static cudaEvent_t Forked = nullptr, Joined = nullptr, Plain = nullptr;
  cudaStreamCreateWithFlags(&Side, cudaStreamNonBlocking);
  cudaEventCreate(&Forked);
  cudaEventCreate(&Joined);
  cudaEventCreate(&Plain);
  cudaEventRecord(Plain, Side);
  auto Run = [&](const char *Name, auto Body) {
    capturing(Name, cudaStreamCaptureModeGlobal, cudaStreamNonBlocking, Body);
  };
  auto Fork = [](cudaStream_t S) {
    ASK(cudaEventRecord(Forked, S));
    ASK(cudaStreamWaitEvent(Side, Forked, 0));
    ASK(launchEmpty(Side));
  };
  Run("fork and join", [&](cudaStream_t S) {
    ASK(launchEmpty(S));
    Fork(S);
    ASK(cudaEventRecord(Joined, Side));
    ASK(cudaStreamWaitEvent(S, Joined, 0));
    ASK(launchEmpty(S));
  });
  Run("fork without join", [&](cudaStream_t S) { Fork(S); });
  Run("query of a captured event", [&](cudaStream_t S) {
    ASK(cudaEventRecord(Forked, S));
    ASK(cudaEventQuery(Forked));
  });
  Run("synchronize with a captured event", [&](cudaStream_t S) {
    ASK(cudaEventRecord(Forked, S));
    ASK(cudaEventSynchronize(Forked));
  });
  Run("wait for an event from outside",
      [&](cudaStream_t S) { ASK(cudaStreamWaitEvent(S, Plain, 0)); });
  Run("end on the wrong stream", [&](cudaStream_t S) {
    Fork(S);
    cudaGraph_t G = nullptr;
    ASK(cudaStreamEndCapture(Side, &G));
  });
  section("capture on the legacy stream");
  cudaGraph_t G = nullptr;
  ASK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  ASK(cudaStreamEndCapture(0, &G));
  ASK(cudaStreamEndCapture(Side, &G));
  ASK(cudaStreamBeginCapture(Side, (cudaStreamCaptureMode)9));
  cudaStreamCaptureMode Wrong = (cudaStreamCaptureMode)9;
  ASK(cudaThreadExchangeStreamCaptureMode(&Wrong));
  cudaStreamDestroy(Side);
  cudaEventDestroy(Forked);
  cudaEventDestroy(Joined);
  cudaEventDestroy(Plain);
  cudaGetLastError();
}

void probeCapture() {
  probeUnsafe("global capture", cudaStreamCaptureModeGlobal);
  probeUnsafe("thread-local capture", cudaStreamCaptureModeThreadLocal);
  probeUnsafe("relaxed capture", cudaStreamCaptureModeRelaxed);
  probeCalls();
  probeForkJoin();
}

/// What is left when a capture ends or its streams die.
void probeAftermath() {
  static cudaStream_t Side = nullptr;
  static cudaEvent_t Event = nullptr, Second = nullptr;
  cudaEventCreate(&Event);
  cudaEventCreate(&Second);
  launchEmpty(0);
  auto Run = [&](const char *Name, auto Body) {
    cudaStreamCreateWithFlags(&Side, cudaStreamNonBlocking);
    capturing(Name, cudaStreamCaptureModeGlobal, cudaStreamNonBlocking, Body);
  };
  Run("event of an ended capture", [](cudaStream_t S) {
    ASK(launchEmpty(S));
    ASK(cudaEventRecord(Event, S));
  });
  ASK(cudaEventQuery(Event));
  ASK(cudaEventSynchronize(Event));
  ASK(cudaStreamWaitEvent(Side, Event, 0));
  cudaStreamCaptureStatus Status = (cudaStreamCaptureStatus)9;
  ASK(cudaStreamIsCapturing(Side, &Status));
  SHOW(Status);
  ASK(cudaStreamWaitEvent(0, Event, 0));
  float Ms = 0;
  ASK(cudaEventElapsedTime(&Ms, Event, Event));
  ASK(cudaEventRecord(Event, Side));
  ASK(cudaEventSynchronize(Event));
  ASK(cudaEventQuery(Event));
  Run("event of another capture", [](cudaStream_t S) { ASK(cudaEventRecord(Event, S)); });
  Run("wait for the event of an ended capture",
      [](cudaStream_t S) { ASK(cudaStreamWaitEvent(S, Event, 0)); });
  auto Fork = [](cudaStream_t S) {
    ASK(cudaEventRecord(Event, S));
    ASK(cudaStreamWaitEvent(Side, Event, 0));
    ASK(launchEmpty(Side));
    ASK(cudaEventRecord(Event, Side));
  };
  Run("joined stream is destroyed", [&](cudaStream_t S) {
    Fork(S);
    ASK(cudaStreamWaitEvent(S, Event, 0));
    ASK(cudaStreamDestroy(Side));
  });
  Run("stream is destroyed without join", [&](cudaStream_t S) {
    Fork(S);
    ASK(cudaStreamDestroy(Side));
  });
  Run("stream is destroyed before its join", [&](cudaStream_t S) {
    Fork(S);
    ASK(cudaStreamDestroy(Side));
    ASK(cudaStreamWaitEvent(S, Event, 0));
  });
  Run("captured event is destroyed", [&](cudaStream_t S) {
    ASK(launchEmpty(S));
    ASK(cudaEventRecord(Second, S));
    ASK(cudaEventDestroy(Second));
  });
  section("origin is destroyed");
  cudaStream_t Origin = nullptr;
  void *P = nullptr;
  ASK(cudaStreamCreateWithFlags(&Origin, cudaStreamNonBlocking));
  ASK(cudaStreamBeginCapture(Origin, cudaStreamCaptureModeGlobal));
  ASK(launchEmpty(Origin));
  ASK(cudaStreamDestroy(Origin));
  ASK(cudaMalloc(&P, 16));
  ASK(cudaFree(P));
  cudaGetLastError();
}

void probeGraphs() {
  section("graphs");
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaGraphNode_t First = nullptr, Second = nullptr, Node = nullptr;
  char *Dev = nullptr;
  cudaMalloc(&Dev, 64);
  ASK(cudaGraphCreate(&Graph, 1));
  ASK(cudaGraphCreate(&Graph, 0));
  ASK(cudaGraphInstantiate(&Exec, nullptr, 0));
  ASK(cudaGraphLaunch(nullptr, 0));
  ASK(cudaGraphAddEmptyNode(&First, Graph, nullptr, 0));
  ASK(cudaGraphAddEmptyNode(&Node, Graph, nullptr, 1));
  cudaMemsetParams Set = {Dev, 0, 7, 1, 64, 1};
  ASK(cudaGraphAddMemsetNode(&Second, Graph, &First, 1, &Set));
  Set.elementSize = 3;
  ASK(cudaGraphAddMemsetNode(&Node, Graph, &First, 1, &Set));
  cudaHostNodeParams Host = {nullptr, nullptr};
  ASK(cudaGraphAddHostNode(&Node, Graph, nullptr, 0, &Host));
  cudaKernelNodeParams Kernel = {};
  ASK(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Kernel));
  ASK(cudaGraphAddDependencies(Graph, &First, &Second, nullptr, 1));
  ASK(cudaGraphAddDependencies(Graph, &Second, &First, nullptr, 1));
  ASK(cudaGraphInstantiate(&Exec, Graph, 0));
  ASK(cudaGraphRemoveDependencies(Graph, &Second, &First, nullptr, 1));
  ASK(cudaGraphInstantiate(&Exec, Graph, 0));
  cudaGraphNodeType Type = (cudaGraphNodeType)99;
  ASK(cudaGraphNodeGetType(Second, &Type));
  SHOW(Type);
  size_t Count = 99;
  ASK(cudaGraphGetEdges(Graph, nullptr, nullptr, nullptr, &Count));
  SHOW(Count);
  ASK(cudaGraphGetRootNodes(Graph, nullptr, &Count));
  SHOW(Count);
  ASK(cudaGraphLaunch(Exec, 0));
  ASK(cudaDeviceSynchronize());
  char Back[64] = {};
  ASK(cudaMemcpy(Back, Dev, 64, cudaMemcpyDeviceToHost));
  SHOW(Back[63]);
  ASK(cudaGraphMemcpyNodeSetParams1D(Second, Dev, Back, 16, cudaMemcpyHostToDevice));
  Set.elementSize = 1;
  Set.value = 9;
  ASK(cudaGraphExecMemsetNodeSetParams(Exec, Second, &Set));
  ASK(cudaGraphExecMemsetNodeSetParams(Exec, First, &Set));
  cudaGraphExecUpdateResultInfo Info = {};
  ASK(cudaGraphExecUpdate(Exec, Graph, &Info));
  SHOW(Info.result);
  ASK(cudaGraphAddEmptyNode(&Node, Graph, nullptr, 0));
  ASK(cudaGraphExecUpdate(Exec, Graph, &Info));
  SHOW(Info.result);
  ASK(cudaGraphNodeSetEnabled(Exec, Second, 0));
  ASK(cudaGraphNodeSetEnabled(Exec, First, 0));
  ASK(cudaGraphExecDestroy(Exec));
  ASK(cudaGraphDestroyNode(Node));
  ASK(cudaGraphDestroy(Graph));
  ASK(cudaGraphDestroy(nullptr));
  ASK(cudaGraphExecDestroy(nullptr));
  cudaFree(Dev);
  cudaGetLastError();
}
