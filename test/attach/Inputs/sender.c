// A library's thread that sends what it is handed, as XLA's do: through pinned memory, into memory
// that its pool has mapped.
// SPDX-License-Identifier: Apache-2.0
#include "pool.c"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 8 << 20, LARGEST = 1 << 18 };

static pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t Changed = PTHREAD_COND_INITIALIZER;
static const void *Data; // the job; NULL: none
static size_t Bytes;
static int Failures;

static void *work(void *context) {
  Failures += cuCtxSetCurrent(context) != 0;
  CUdeviceptr pool = mapped_segment(SEGMENT);
  Failures += pool == 0;
  CUstream stream;
  void *pinned;
  Failures += cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != 0;
  Failures += cuMemHostAlloc(&pinned, LARGEST, 0) != 0;
  for (size_t used = 0;; used = (used + LARGEST) % SEGMENT) {
    pthread_mutex_lock(&Mutex);
    while (!Data)
      pthread_cond_wait(&Changed, &Mutex);
    const void *data = Data;
    pthread_mutex_unlock(&Mutex);
    memcpy(pinned, data, Bytes);
    Failures += cuMemcpyHtoDAsync(pool + used, pinned, Bytes, stream) != 0;
    Failures += cuStreamSynchronize(stream) != 0;
    pthread_mutex_lock(&Mutex);
    Data = NULL;
    pthread_cond_broadcast(&Changed);
    pthread_mutex_unlock(&Mutex);
  }
  return NULL;
}

/// Sends it, and waits for that. Gives the number of calls that failed so far.
int send_array(const void *data, size_t bytes) {
  static int started = 0;
  if (!started) {
    CUcontext context;
    pthread_t thread;
    Failures += cuCtxGetCurrent(&context) != 0;
    started = pthread_create(&thread, NULL, work, context) == 0;
  }
  pthread_mutex_lock(&Mutex);
  Data = data;
  Bytes = bytes;
  pthread_cond_broadcast(&Changed);
  while (Data)
    pthread_cond_wait(&Changed, &Mutex);
  pthread_mutex_unlock(&Mutex);
  return Failures;
}
