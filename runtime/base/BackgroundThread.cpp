// Threads of the runtime's own.
// SPDX-License-Identifier: Apache-2.0
#include "base/BackgroundThread.h"
#include "base/Guard.h"
#include <atomic>
#include <csignal>
#include <pthread.h>

namespace gpuinstr {

namespace {

std::atomic<unsigned> Running{0};

__thread bool IsOurs __attribute__((tls_model("initial-exec"))) = false;

void *runCounted(void *run) {
  IsOurs = true;
  guarded([&] { reinterpret_cast<void *(*)(void *)>(run)(nullptr); });
  Running.fetch_sub(1);
  return nullptr;
}

} // namespace

bool isBackgroundThread() { return IsOurs; }
unsigned backgroundThreads() { return Running.load(); }
void forgetBackgroundThreads() { Running.store(0); }

bool startBackground(void *(*run)(void *), std::size_t stackBytes) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  Running.fetch_add(1);
  bool started =
      pthread_create(&thread, &attributes, runCounted, reinterpret_cast<void *>(run)) == 0;
  if (!started)
    Running.fetch_sub(1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace gpuinstr
