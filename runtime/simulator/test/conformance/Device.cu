// Devices, contexts, reset, fork.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <cuda_profiler_api.h>

#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

void probeDevice() {
  section("devices");
  int Device = 9;
  cudaDeviceProp Props;
  ASK(cudaGetDevice(&Device));
  SHOW(Device);
  ASK(cudaSetDevice(99));
  ASK(cudaSetDevice(-1));
  ASK(cudaGetDeviceProperties(&Props, 99));
  ASK(cudaDeviceGetAttribute(&Device, (cudaDeviceAttr)9999, 0));
  ASK(cudaDeviceGetAttribute(&Device, cudaDevAttrWarpSize, 0));
  ASK(cudaDeviceEnablePeerAccess(0, 0));
  ASK(cudaDeviceEnablePeerAccess(99, 0));
  ASK(cudaDeviceDisablePeerAccess(0));
  ASK(cudaDeviceCanAccessPeer(&Device, 0, 0));
  SHOW(Device);
  size_t Value = 0;
  ASK(cudaDeviceGetLimit(&Value, (cudaLimit)77));
  ASK(cudaDeviceGetLimit(&Value, cudaLimitStackSize));
  SHOW(Value);
  ASK(cudaDeviceGetLimit(&Value, cudaLimitPrintfFifoSize));
  SHOW(Value);
  ASK(cudaDeviceGetLimit(&Value, cudaLimitMallocHeapSize));
  SHOW(Value);
  ASK(cudaSetDeviceFlags(1u << 20));
  unsigned Flags = 99;
  ASK(cudaGetDeviceFlags(&Flags));
  SHOW(Flags);
  void *Entry = nullptr;
  cudaDriverEntryPointQueryResult Query = (cudaDriverEntryPointQueryResult)9;
  ASK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &Entry, 13000, 0, &Query));
  SHOW(Query);
  ASK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &Entry, 13000, 0, &Query));
  SHOW(Query);
  SHOW(Entry == nullptr);
  ASK(cudaProfilerStart());
  ASK(cudaProfilerStop());
  ASK(cudaDestroyTextureObject(0));
  ASK(cudaDestroySurfaceObject(0));
  cudaGetLastError();
}

void probeDriver() {
  cudaFree(nullptr);
  section("driver");
  CUdeviceptr P = 0;
  CUcontext Current = nullptr, Popped = nullptr, Primary = nullptr;
  ASK_DRIVER(cuInit(0));
  ASK_DRIVER(cuCtxGetCurrent(&Current));
  SHOW(Current != nullptr);
  unsigned Flags = 99;
  int Active = 99;
  ASK_DRIVER(cuDevicePrimaryCtxGetState(0, &Flags, &Active));
  SHOW(Active);
  ASK_DRIVER(cuDevicePrimaryCtxRetain(&Primary, 0));
  SHOW(Primary == Current);
  ASK_DRIVER(cuDevicePrimaryCtxRelease(0));
  ASK_DRIVER(cuMemAlloc(&P, 0));
  ASK_DRIVER(cuMemAlloc(&P, size_t(1) << 45));
  ASK_DRIVER(cuMemFree(0));
  ASK_DRIVER(cuMemFree(16));
  ASK_DRIVER(cuMemFreeHost(nullptr));
  ASK_DRIVER(cuEventDestroy(nullptr));
  ASK_DRIVER(cuStreamDestroy(nullptr));
  ASK_DRIVER(cuCtxPopCurrent(&Popped));
  SHOW(Popped == Current);
  ASK_DRIVER(cuMemAlloc(&P, 16));
  ASK_DRIVER(cuCtxPopCurrent(&Popped));
  ASK_DRIVER(cuCtxSynchronize());
  ASK_DRIVER(cuCtxPushCurrent(Current));
  ASK_DRIVER(cuMemAlloc(&P, 16));
  ASK_DRIVER(cuMemFree(P));
  ASK_DRIVER(cuMemFree(P));
  CUmodule Module = nullptr;
  ASK_DRIVER(cuModuleLoadData(&Module, "not a module at all, but long enough to be looked at"));
  ASK_DRIVER(cuModuleLoad(&Module, "/nonexistent/file"));
  std::thread([] {
    section("driver in a new thread");
    CUcontext C = (CUcontext)1;
    CUdeviceptr P = 0;
    ASK_DRIVER(cuCtxGetCurrent(&C));
    SHOW(C == nullptr);
    ASK_DRIVER(cuMemAlloc(&P, 16));
    ASK_DRIVER(cuCtxSetCurrent(nullptr));
    void *Q = nullptr;
    ASK(cudaMalloc(&Q, 16));
    ASK_DRIVER(cuCtxGetCurrent(&C));
    SHOW(C != nullptr);
    ASK(cudaGetLastError());
    cudaFree(Q);
  }).join();
  section("driver contexts");
  CUcontext Own = nullptr;
  int Device = 99;
  ASK_DRIVER(cuCtxCreate(&Own, nullptr, 0, 0));
  ASK_DRIVER(cuMemAlloc(&P, 16));
  ASK(cudaGetDevice(&Device));
  ASK(cudaFree((void *)P));
  ASK_DRIVER(cuCtxDestroy(Own));
  ASK_DRIVER(cuCtxGetCurrent(&Popped));
  SHOW(Popped == Current);
  ASK_DRIVER(cuCtxDestroy(nullptr));
  const char *Name = nullptr;
  ASK_DRIVER(cuGetErrorName((CUresult)12345, &Name));
  cudaGetLastError();
}

void probeReset() {
  section("reset");
  void *P = nullptr, *Host = nullptr, *Managed = nullptr;
  cudaMalloc(&P, size_t(64) << 20);
  cudaHostAlloc(&Host, 4096, 0);
  cudaMallocManaged(&Managed, 4096);
  void *Kept = nullptr;
  cudaMalloc(&Kept, 16);
  std::thread([] { ASK(cudaDeviceReset()); }).join();
  ASK(cudaFree(Kept));
  ASK(cudaDeviceReset());
  unsigned Flags = 99;
  int Active = 99;
  ASK_DRIVER(cuDevicePrimaryCtxGetState(0, &Flags, &Active));
  SHOW(Active);
  CUdevice Device = 99;
  ASK_DRIVER(cuCtxGetDevice(&Device));
  SHOW(Device);
  ASK(cudaFree(P));
  ASK(cudaFreeHost(Host));
  ASK(cudaFree(Managed));
  ASK_DRIVER(cuDevicePrimaryCtxGetState(0, &Flags, &Active));
  SHOW(Active);
  ASK(cudaMalloc(&P, 16));
  ASK(launchEmpty(0));
  ASK(cudaDeviceSynchronize());
  ASK(cudaFree(P));
  cudaGetLastError();
}

void probeFork() {
  section("fork");
  void *P = nullptr;
  ASK(cudaMalloc(&P, 16));
  std::fflush(stdout);
  pid_t Child = fork();
  if (Child == 0) {
    section("forked child");
    int Count = 99;
    ASK(cudaGetLastError());
    ASK(cudaMalloc(&P, 16));
    ASK(cudaGetLastError());
    ASK(cudaGetDeviceCount(&Count));
    ASK(cudaFree(P));
    ASK(cudaSetDevice(0));
    ASK(cudaGetDevice(&Count));
    ASK(cudaDeviceSynchronize());
    ASK(launchEmpty(0));
    ASK_DRIVER(cuInit(0));
    ASK_DRIVER(cuDeviceGetCount(&Count));
    std::fflush(stdout);
    _exit(0);
  }
  int Status = 1;
  waitpid(Child, &Status, 0);
  SHOW(Status);
  ASK(cudaFree(P));
}
