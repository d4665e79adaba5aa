// Whether a descriptor still is what the program was started with.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/GivenStreams.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

/// No descriptor of its own is kept: a pipe that a daemon closes must reach its end.
struct Identity {
  bool open = false;
  dev_t device = 0;
  ino_t inode = 0;
  mode_t type = 0;

  bool operator==(const Identity &o) const {
    return open && o.open && device == o.device && inode == o.inode && type == o.type;
  }
};

constexpr int MostRemembered = 64;
Identity AtStart[MostRemembered];
bool Remembered = false;

Identity identityOf(int fd) {
  struct stat now;
  if (::fstat(fd, &now) != 0)
    return {};
  return {true, now.st_dev, now.st_ino, now.st_mode & S_IFMT};
}

/// One was made of the other, by dup2 or the like. A data file that was opened twice is no such
/// pair.
bool areOneDescription(int a, int b) {
  const long thread = ::syscall(SYS_gettid); // the main one may have left, with its files
  return ::syscall(SYS_kcmp, thread, thread, KCMP_FILE, a, b) == 0;
}

/// freopen leaves stderr buffered, which it is not at the start of a program.
bool wasOpenedAnew(int fd) {
#ifdef __GLIBC__
  constexpr int Unbuffered = 2; // _IO_UNBUFFERED
  return fd == STDERR_FILENO && stderr && stderr->_fileno == STDERR_FILENO &&
         !(stderr->_flags & Unbuffered);
#else
  (void)fd;
  return false;
#endif
}

/// What else makes 1 or 2 the program's stdout or stderr.
bool wasRedirected(int fd, const Identity &now) {
  // Streams go to new programs as they are; what the program closes for them is its own file.
  if (!now.open || (::fcntl(fd, F_GETFD) & FD_CLOEXEC))
    return false;
  int other = fd == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO;
  Identity beside = identityOf(other);
  bool together = now == beside && (beside == AtStart[other] || areOneDescription(fd, other));
  return together || wasOpenedAnew(fd);
}

} // namespace

void rememberGivenStreams() {
  int error = errno;
  for (int fd = 0; fd < MostRemembered; ++fd)
    AtStart[fd] = identityOf(fd);
  Remembered = true;
  errno = error;
}

bool isGivenStream(int fd) {
  if (!Remembered)
    return true;
  int error = errno;
  Identity now = identityOf(fd);
  bool is = fd >= 0 && fd < MostRemembered && now == AtStart[fd];
  if (!is && (fd == STDOUT_FILENO || fd == STDERR_FILENO))
    is = wasRedirected(fd, now);
  errno = error;
  return is;
}

} // namespace gpuinstr
