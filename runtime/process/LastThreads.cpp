// A program whose main thread leaves by pthread_exit ends with its last thread.
// SPDX-License-Identifier: Apache-2.0
#include "process/LastThreads.h"
#include "base/BackgroundThread.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

pthread_key_t Key;
bool HasKey = false;
void (*WhenItLeaves)() = nullptr;
sigset_t MainsMask;

/// exit() runs no destructors of keys: this is pthread_exit. A forked child of another thread has
/// another main thread, whose key is its own.
void mainLeaves(void *) {
  if (syscall(SYS_gettid) == getpid())
    WhenItLeaves();
}

/// What waits to be joined by nobody: its state is Z.
bool mainThreadHasLeft() {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", int(getpid()));
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  if (n <= 0)
    return false;
  text[n] = 0;
  const char *name = std::strrchr(text, ')'); // which may hold anything before
  return name && name[1] == ' ' && name[2] == 'Z';
}

void *endProcess(void *) {
  pthread_sigmask(SIG_SETMASK, &MainsMask, nullptr);
  std::exit(0);
}

} // namespace

bool watchMainThread(void (*whenItLeaves)()) {
  if (syscall(SYS_gettid) != getpid())
    return false;
  WhenItLeaves = whenItLeaves;
  pthread_sigmask(SIG_SETMASK, nullptr, &MainsMask);
  if (!HasKey)
    HasKey = pthread_key_create(&Key, mainLeaves) == 0;
  return HasKey && pthread_setspecific(Key, &Key) == 0;
}

bool onlyBackgroundThreadsRemain() {
  struct stat tasks; // its links are "." and ".." and one for each thread, the dead main one too
  constexpr unsigned Dots = 2, Main = 1;
  return stat("/proc/self/task", &tasks) == 0 &&
         tasks.st_nlink == Dots + Main + backgroundThreads() && mainThreadHasLeft();
}

void endAsLastThread() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, endProcess, nullptr) != 0)
    endProcess(nullptr);
}

} // namespace gpuinstr
