// A library's thread that sends what it is handed and brings what it is asked for, as XLA's do:
// through pinned memory, into and out of memory that its pool has mapped; what comes back a host
// function hands on. SPDX-License-Identifier: Apache-2.0
#include "pool.c"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 8 << 20, LARGEST = 1 << 18 };

static pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t Changed = PTHREAD_COND_INITIALIZER;
static const void *Data; // the job; NULL: none
static void *Target;     // not NULL: a download to there
static size_t Bytes, Offset;
static void *Pinned;
static int Done, Failures;

static void end_job(void) {
  pthread_mutex_lock(&Mutex);
  Data = NULL;
  Done = 1;
  pthread_cond_broadcast(&Changed);
  pthread_mutex_unlock(&Mutex);
}

static void hand_on(void *unused) {
  memcpy(Target, Pinned, Bytes);
  end_job();
}

static void ask(CUdeviceptr address) {
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  unsigned type = 0;
  void *value = &type;
  Failures += cuPointerGetAttributes(1, &attribute, &value, address) != 0;
}

static void *work(void *context) {
  Failures += cuCtxSetCurrent(context) != 0;
  CUdeviceptr pool = mapped_segment(SEGMENT), last = pool;
  Failures += pool == 0;
  CUstream stream;
  Failures += cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != 0;
  Failures += cuMemHostAlloc(&Pinned, LARGEST, 0) != 0;
  for (size_t used = 0;;) {
    pthread_mutex_lock(&Mutex);
    while (!Data)
      pthread_cond_wait(&Changed, &Mutex);
    const void *data = Data;
    void *target = Target;
    if (target)
      Data = NULL; // taken
    pthread_mutex_unlock(&Mutex);
    if (target) {
      ask((CUdeviceptr)target);
      Failures += cuMemcpyDtoHAsync(Pinned, last + Offset, Bytes, stream) != 0;
      Failures += cuLaunchHostFunc(stream, hand_on, NULL) != 0;
      continue; // the next job comes once this one was handed on
    }
    last = pool + used;
    used = (used + LARGEST) % SEGMENT;
    memcpy(Pinned, data, Bytes);
    Failures += cuMemcpyHtoDAsync(last, Pinned, Bytes, stream) != 0;
    Failures += cuStreamSynchronize(stream) != 0;
    end_job();
  }
  return NULL;
}

static int do_job(const void *data, void *target, size_t offset, size_t bytes) {
  static int started = 0;
  if (!started) {
    CUcontext context;
    pthread_t thread;
    Failures += cuCtxGetCurrent(&context) != 0;
    started = pthread_create(&thread, NULL, work, context) == 0;
  }
  pthread_mutex_lock(&Mutex);
  Data = data;
  Target = target;
  Offset = offset;
  Bytes = bytes;
  Done = 0;
  pthread_cond_broadcast(&Changed);
  while (!Done)
    pthread_cond_wait(&Changed, &Mutex);
  pthread_mutex_unlock(&Mutex);
  return Failures;
}

/// Sends it, and waits for that. Gives the number of calls that failed so far, as the next.
int send_array(const void *data, size_t bytes) { return do_job(data, NULL, 0, bytes); }

/// Brings what lies at that offset in the array that was sent last.
int bring_array(void *target, size_t offset, size_t bytes) {
  return do_job(target, target, offset, bytes);
}
