// Launches, streams, events.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <thread>

__global__ void other(int) {}

void probeLaunches() {
  section("launches");
  int Zero = 0;
  void *Args[] = {&Zero};
  ASK(launchEmpty(0));
  ASK(launchEmpty(0, 1, 1024));
  ASK(launchEmpty(0, 1, 1025));
  ASK(cudaGetLastError());
  ASK(launchEmpty(0, 0, 1));
  ASK(launchEmpty(0, 1, 0));
  ASK(cudaLaunchKernel((const void *)other, dim3(1, 65536), dim3(1), Args, 0, 0));
  ASK(cudaLaunchKernel((const void *)other, dim3(1, 65535), dim3(1), Args, 0, 0));
  ASK(cudaLaunchKernel((const void *)other, dim3(1), dim3(1, 1, 65), Args, 0, 0));
  ASK(cudaLaunchKernel((const void *)other, dim3(1), dim3(1), Args, 49152, 0));
  ASK(cudaLaunchKernel((const void *)other, dim3(1), dim3(1), Args, 49153, 0));
  ASK(cudaFuncSetAttribute(other, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  ASK(cudaLaunchKernel((const void *)other, dim3(1), dim3(1), Args, 100000, 0));
  ASK(cudaFuncSetAttribute(other, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
  ASK(cudaFuncSetAttribute(other, cudaFuncAttributeMaxDynamicSharedMemorySize, -2));
  ASK(cudaFuncSetAttribute(other, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  ASK(cudaFuncSetAttribute(other, (cudaFuncAttribute)77, 1));
  ASK(cudaLaunchKernel(&Zero, dim3(1), dim3(1), Args, 0, 0));
  ASK(cudaGetLastError());
  ASK(cudaLaunchKernel(nullptr, dim3(1), dim3(1), Args, 0, 0));
  other<<<1, 1025>>>(0);
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  other<<<0, 1>>>(0);
  ASK(cudaGetLastError());
  other<<<dim3(1, 65536), 1>>>(0);
  ASK(cudaGetLastError());
  other<<<1, 1, 300000>>>(0);
  ASK(cudaGetLastError());
  other<<<1, 32>>>(0);
  ASK(cudaGetLastError());
  cudaFunction_t Function = nullptr;
  ASK(cudaGetFuncBySymbol(&Function, (const void *)other));
  ASK_DRIVER(cuLaunchKernel(Function, 1, 1, 1, 1025, 1, 1, 0, 0, Args, nullptr));
  ASK_DRIVER(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, 0, Args, nullptr));
  cudaFuncAttributes Attrs;
  ASK(cudaFuncGetAttributes(&Attrs, &Zero));
  ASK(cudaFuncGetAttributes(&Attrs, other));
  SHOW(Attrs.maxThreadsPerBlock);
  ASK(cudaLaunchCooperativeKernel((const void *)other, dim3(1), dim3(32), Args, 0, 0));
  ASK(cudaLaunchCooperativeKernel((const void *)other, dim3(1 << 20), dim3(32), Args, 0, 0));
  int Blocks = 0;
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, other, 1024, 0));
  SHOW(Blocks);
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, other, 2048, 0));
  SHOW(Blocks);
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, other, 0, 0));
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, &Zero, 32, 0));
  cudaLaunchConfig_t Config = {};
  Config.gridDim = dim3(4);
  Config.blockDim = dim3(32);
  cudaLaunchAttribute Cluster;
  Cluster.id = cudaLaunchAttributeClusterDimension;
  Cluster.val.clusterDim = {2, 1, 1};
  Config.attrs = &Cluster;
  Config.numAttrs = 1;
  ASK(cudaLaunchKernelExC(&Config, (const void *)other, Args));
  Cluster.val.clusterDim = {3, 1, 1};
  ASK(cudaLaunchKernelExC(&Config, (const void *)other, Args));
  ASK(cudaDeviceSynchronize());
  cudaGetLastError();
}

static cudaError_t FromHostFunction[4];
static void callsCuda(void *P) {
  void *Out = nullptr;
  FromHostFunction[0] = cudaMalloc(&Out, 16);
  FromHostFunction[1] = cudaStreamQuery((cudaStream_t)P);
  FromHostFunction[2] = cudaGetLastError();
  int Device = 0;
  FromHostFunction[3] = cudaGetDevice(&Device);
}

static void probePending(cudaStream_t Stream, cudaStream_t Free) {
  section("pending work");
  Gate G;
  cudaEvent_t Before = nullptr, After = nullptr, Quiet = nullptr;
  cudaEventCreate(&Before);
  cudaEventCreate(&After);
  cudaEventCreateWithFlags(&Quiet, cudaEventDisableTiming);
  ASK(cudaEventRecord(Before, Stream));
  ASK(cudaEventSynchronize(Before));
  ASK(cudaLaunchHostFunc(Stream, Gate::wait, &G));
  ASK(cudaEventRecord(After, Stream));
  ASK(cudaStreamQuery(Stream));
  ASK(cudaGetLastError());
  ASK(cudaEventQuery(After));
  ASK(cudaGetLastError());
  ASK(cudaEventQuery(Before));
  ASK(cudaStreamQuery(Free));
  ASK(cudaStreamQuery(0));
  float Ms = 0;
  ASK(cudaEventElapsedTime(&Ms, Before, After));
  ASK(cudaStreamWaitEvent(Free, After, 0));
  ASK(launchEmpty(Free));
  ASK(cudaStreamQuery(Free));
  G.Open = true;
  ASK(cudaStreamSynchronize(Stream));
  ASK(cudaStreamSynchronize(Free));
  ASK(cudaStreamQuery(Free));
  ASK(cudaEventElapsedTime(&Ms, Before, After));
  SHOW(Ms > 0);
  ASK(cudaEventRecord(Quiet, Stream));
  ASK(cudaEventSynchronize(Quiet));
  ASK(cudaEventElapsedTime(&Ms, Before, Quiet));
  ASK(cudaLaunchHostFunc(Stream, callsCuda, Stream));
  ASK(cudaStreamSynchronize(Stream));
  for (cudaError_t E : FromHostFunction)
    answer("from a host function", E);
  cudaEventDestroy(Before);
  cudaEventDestroy(After);
  cudaEventDestroy(Quiet);
  cudaGetLastError();
}

void probeStreams() {
  // Loading a kernel for the first time waits for the device, which would wait for the gate.
  launchEmpty(0);
  section("streams");
  cudaStream_t Stream = nullptr, Free = nullptr;
  int Least = 9, Greatest = 9, Priority = 9;
  unsigned Flags = 9;
  ASK(cudaDeviceGetStreamPriorityRange(&Least, &Greatest));
  SHOW(Least);
  SHOW(Greatest);
  ASK(cudaStreamCreateWithFlags(&Stream, 6));
  ASK(cudaStreamCreate(nullptr));
  ASK(cudaStreamCreateWithPriority(&Stream, cudaStreamNonBlocking, -100));
  ASK(cudaStreamGetPriority(Stream, &Priority));
  SHOW(Priority);
  ASK(cudaStreamGetFlags(Stream, &Flags));
  SHOW(Flags);
  ASK(cudaStreamCreateWithFlags(&Free, cudaStreamNonBlocking));
  ASK(cudaStreamGetFlags(0, &Flags));
  SHOW(Flags);
  ASK(cudaStreamGetPriority(0, &Priority));
  SHOW(Priority);
  ASK(cudaStreamGetFlags(cudaStreamPerThread, &Flags));
  SHOW(Flags);
  ASK(cudaStreamDestroy(0));
  ASK(cudaStreamDestroy(cudaStreamPerThread));
  ASK(cudaStreamQuery(0));
  ASK(cudaStreamQuery(cudaStreamPerThread));
  ASK(cudaLaunchHostFunc(Stream, nullptr, nullptr));
  ASK(cudaStreamAddCallback(Stream, nullptr, nullptr, 0));
  section("events");
  cudaEvent_t Event = nullptr, Second = nullptr;
  float Ms = 0;
  ASK(cudaEventCreateWithFlags(&Event, 64));
  ASK(cudaEventCreateWithFlags(&Event, cudaEventInterprocess));
  ASK(cudaEventCreate(&Event));
  ASK(cudaEventCreate(&Second));
  ASK(cudaEventQuery(Event));
  ASK(cudaEventSynchronize(Event));
  ASK(cudaEventElapsedTime(&Ms, Event, Second));
  ASK(cudaStreamWaitEvent(Stream, Event, 0));
  ASK(cudaStreamWaitEvent(Stream, nullptr, 0));
  ASK(cudaStreamWaitEvent(Stream, Event, 5));
  ASK(cudaEventRecord(nullptr, Stream));
  ASK(cudaEventQuery(nullptr));
  ASK(cudaEventDestroy(nullptr));
  ASK(cudaEventRecordWithFlags(Event, Stream, 5));
  ASK(cudaEventRecordWithFlags(Event, Stream, cudaEventRecordExternal));
  ASK(cudaEventRecord(Event, Stream));
  ASK(cudaEventElapsedTime(&Ms, Event, Second));
  ASK(cudaEventDestroy(Event));
  ASK(cudaEventDestroy(Second));
  cudaGetLastError();
  probePending(Stream, Free);
  ASK(cudaStreamDestroy(Stream));
  ASK(cudaStreamDestroy(Free));
}
