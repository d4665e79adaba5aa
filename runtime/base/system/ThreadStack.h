// Where this thread's own stack lies.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_THREADSTACK_H
#define GPUINSTR_BASE_SYSTEM_THREADSTACK_H

#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace gpuinstr {

/// [begin, end); both 0 where it is not known.
struct ThreadStack {
  uintptr_t begin = 0, end = 0;
};

/// Of the main thread the system reads it from a file, and takes memory for that.
inline ThreadStack findThreadStack() {
  ThreadStack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return stack;
  void *low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    stack.begin = reinterpret_cast<uintptr_t>(low);
    stack.end = stack.begin + size;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

} // namespace gpuinstr

#endif
