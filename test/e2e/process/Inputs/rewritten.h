// Waits until json_every has replaced a profile: no test depends on how long that takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/// Returns when `path` was replaced so many times (made counts as well), after a minute all the
/// same; at once in a program that nobody watches.
static inline void waitForRewrites(const char *path, int times) {
  if (!getenv("GPUINSTR_OPTIONS"))
    return;
  struct stat now;
  ino_t last = stat(path, &now) == 0 ? now.st_ino : 0;
  for (int i = 0; times > 0 && i < 6000; ++i) {
    usleep(10000);
    ino_t next = stat(path, &now) == 0 ? now.st_ino : 0;
    times -= next != last && now.st_size > 0;
    last = next;
  }
}
