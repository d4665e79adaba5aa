// Code that is not instrumented, in libraries that few programs open: at their start, or later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

struct Unseen {
  void (*set)(void *d_memory, int value, size_t bytes);
  void (*upload)(void *d_memory, const void *from, size_t bytes);
  void (*launch)(int *d_memory, int value, unsigned n); ///< null in the one opened later
};
