// A library with a thread of its own, which makes an event and copies; no frame of Python's is on
// its stack. SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <pthread.h>

static CUcontext context;
static CUdeviceptr memory;
static char bytes[4096];

static void *work(void *unused) {
  CUevent event;
  CUstream stream;
  cuCtxSetCurrent(context);
  cuEventCreate(&event, 0);
  cuStreamCreate(&stream, 0);
  cuMemcpyHtoD(memory, bytes, sizeof bytes);
  cuMemcpyDtoH(bytes, memory, sizeof bytes);
  return unused;
}

int run(CUcontext from, CUdeviceptr to) {
  pthread_t thread;
  context = from;
  memory = to;
  return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
