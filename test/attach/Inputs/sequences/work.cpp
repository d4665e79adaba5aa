// Programs that launch, wait and use streams.
// SPDX-License-Identifier: Apache-2.0
#include "programs.h"
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

static void *arguments[] = {&a, &b, &c};

static void launches() {
  prepare();
  loadModule();
  cuLaunchKernel(kernel, 2, 3, 4, 5, 6, 7, 16, stream, arguments, nullptr);
  cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  finish();
}

static void launchesThatFail() {
  prepare();
  loadModule();
  cuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  cuLaunchKernel(kernel, 1, 1, 1, 4096, 1, 1, 0, stream, arguments, nullptr);
  finish();
}

static void launchWithABuffer() {
  static CUdeviceptr buffer[3];
  static size_t size = sizeof buffer;
  static void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
                          &size, CU_LAUNCH_PARAM_END};
  prepare();
  loadModule();
  buffer[0] = a, buffer[1] = b, buffer[2] = c;
  cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra);
  finish();
}

static void launchWithAttributes() {
  static CUlaunchConfig config;
  prepare();
  loadModule();
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  cuLaunchKernelEx(&config, kernel, arguments, nullptr);
  finish();
}

static void cooperativeLaunch() {
  prepare();
  loadModule();
  cuLaunchCooperativeKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments);
  finish();
}

static void manyLaunches() {
  prepare();
  loadModule();
  for (unsigned i = 1; i <= 20; ++i)
    cuLaunchKernel(kernel, i, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
  finish();
}

static void events() {
  static CUevent end;
  static CUstream late;
  prepare();
  cuEventCreate(&end, CU_EVENT_DISABLE_TIMING);
  cuStreamCreateWithPriority(&late, CU_STREAM_NON_BLOCKING, 0);
  cuMemsetD8Async(a, 1, Bytes, stream);
  cuEventRecord(event, stream);
  cuStreamWaitEvent(late, event, 0);
  cuMemsetD8Async(a, 2, Bytes, late);
  cuEventRecordWithFlags(end, late, 0);
  cuEventSynchronize(end);
  cuEventQuery(end);
  cuStreamSynchronize(late);
  cuStreamQuery(late);
  cuStreamDestroy(late);
  cuEventDestroy(end);
  finish();
}

static void notReady() {
  prepare();
  cuEventQuery(event);
  cuEventSynchronize(event);
  cuEventRecord(event, nullptr);
  cuCtxSynchronize();
  cuEventQuery(event);
  finish();
}

static void synchronisations() {
  prepare();
  cuCtxSynchronize();
  cuStreamSynchronize(nullptr);
  cuStreamSynchronize(CU_STREAM_LEGACY);
  cuStreamSynchronize(CU_STREAM_PER_THREAD);
  cuStreamQuery(stream);
  finish();
}

static void hostWork(void *) {}
static void hostFunctions() {
  prepare();
  cuLaunchHostFunc(stream, hostWork, host);
  cuStreamSynchronize(stream);
  finish();
}

static void hostCallback(CUstream, CUresult, void *) {}
static void callbacks() {
  prepare();
  cuStreamAddCallback(stream, hostCallback, host, 0);
  cuStreamSynchronize(stream);
  finish();
}

static void waitsOnValues() {
  prepare();
  cuStreamWriteValue32(stream, a, 7, 0);
  cuStreamWaitValue32(stream, a, 7, CU_STREAM_WAIT_VALUE_EQ);
  cuStreamWriteValue64(stream, b, 9, 0);
  cuStreamWaitValue64(stream, b, 9, CU_STREAM_WAIT_VALUE_EQ);
  finish();
}

template <class F> static F *entry(const char *name) {
  return reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
}

/// What a program that is compiled for the stream of each thread calls.
static void streamPerThread() {
  prepare();
  loadModule();
  entry<CUresult(CUdeviceptr, const void *, size_t)>("cuMemcpyHtoD_v2_ptds")(a, host, Bytes);
  entry<CUresult(CUdeviceptr, unsigned char, size_t)>("cuMemsetD8_v2_ptds")(b, 1, Bytes);
  entry<CUresult(CUdeviceptr, CUdeviceptr, size_t, CUstream)>("cuMemcpyDtoDAsync_v2_ptsz")(
      b, a, Bytes, nullptr);
  entry<decltype(cuLaunchKernel)>("cuLaunchKernel_ptsz")(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                                         arguments, nullptr);
  entry<decltype(cuEventRecord)>("cuEventRecord_ptsz")(event, nullptr);
  entry<decltype(cuStreamSynchronize)>("cuStreamSynchronize_ptsz")(nullptr);
  entry<CUresult(void *, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2_ptds")(other, b, Bytes);
  finish();
}

/// As cudart does.
static void functionsByAddress() {
  static void *allocate, *release, *copy, *launch;
  static CUdriverProcAddressQueryResult how;
  cuGetProcAddress("cuMemAlloc", &allocate, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
  cuGetProcAddress("cuMemFree", &release, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
  cuGetProcAddress("cuMemcpyAsync", &copy, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                   &how);
  cuGetProcAddress("cuLaunchKernel", &launch, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                   &how);
  prepare();
  loadModule();
  reinterpret_cast<decltype(cuMemAlloc) *>(allocate)(&a, Bytes);
  reinterpret_cast<decltype(cuMemcpyAsync) *>(copy)(b, a, Bytes, nullptr);
  reinterpret_cast<decltype(cuLaunchKernel) *>(launch)(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                                       arguments, nullptr);
  reinterpret_cast<decltype(cuMemFree) *>(release)(a);
  cuMemFree(b);
  cuMemFree(c);
}

static CUcontext mainContext;
static void *inThread(void *) {
  static CUdeviceptr own;
  cuCtxSetCurrent(mainContext);
  cuMemAlloc(&own, Bytes);
  cuMemcpyDtoD(own, a, Bytes);
  cuMemFree(own);
  return nullptr;
}
static void threads() {
  cuCtxGetCurrent(&mainContext);
  prepare();
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, inThread, nullptr);
    pthread_join(thread, nullptr);
  }
  finish();
}

static void atEnd() { finish(); }
static void callsAtExit() {
  prepare();
  std::atexit(atEnd);
}

static void contextOfItsOwn() {
  static CUcontext own;
  cuCtxCreate(&own, nullptr, 0, 0);
  cuMemAlloc(&a, Bytes);
  cuMemsetD8(a, 1, Bytes);
  cuCtxDestroy(own);
}

static void resetOfTheDevice() {
  cuMemAlloc(&a, Bytes);
  cuMemsetD8(a, 1, Bytes);
  cuDevicePrimaryCtxReset(0);
}

static void withoutContext() {
  cuCtxSetCurrent(nullptr);
  cuMemAlloc(&a, Bytes);
  cuStreamCreate(&stream, 0);
  cuCtxSynchronize();
}

static void texture() {
  static CUtexObject object;
  static CUDA_RESOURCE_DESC resource;
  static CUDA_TEXTURE_DESC how;
  prepare();
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = a;
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = Bytes;
  cuTexObjectCreate(&object, &resource, &how, nullptr);
  finish();
}

const Program WorkPrograms[] = {{"launches", launches},
                                {"launches-that-fail", launchesThatFail},
                                {"launch-with-a-buffer", launchWithABuffer},
                                {"launch-with-attributes", launchWithAttributes},
                                {"cooperative-launch", cooperativeLaunch},
                                {"many-launches", manyLaunches},
                                {"events", events},
                                {"not-ready", notReady},
                                {"synchronisations", synchronisations},
                                {"host-functions", hostFunctions},
                                {"callbacks", callbacks},
                                {"waits-on-values", waitsOnValues},
                                {"stream-per-thread", streamPerThread},
                                {"functions-by-address", functionsByAddress},
                                {"threads", threads},
                                {"calls-at-exit", callsAtExit},
                                {"context-of-its-own", contextOfItsOwn},
                                {"reset-of-the-device", resetOfTheDevice},
                                {"without-context", withoutContext},
                                {"texture", texture},
                                {nullptr, nullptr}};
