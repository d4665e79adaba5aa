// Threads of the runtime's own.
// SPDX-License-Identifier: Apache-2.0
#include "base/BackgroundThread.h"
#include <csignal>
#include <pthread.h>

namespace gpuinstr {

bool startBackground(void *(*run)(void *), std::size_t stackBytes) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, run, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace gpuinstr
