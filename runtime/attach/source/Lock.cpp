// The one lock of the attached part.
// SPDX-License-Identifier: Apache-2.0
#include "attach/source/Lock.h"
#include <pthread.h>

namespace gpuinstr::attach {

std::mutex &tablesMutex() {
  static std::mutex *mutex = [] {
    auto *made = new std::mutex; // leaked: used during exit
    pthread_atfork([] { tablesMutex().lock(); }, [] { tablesMutex().unlock(); },
                   [] { tablesMutex().unlock(); });
    return made;
  }();
  return *mutex;
}

} // namespace gpuinstr::attach
