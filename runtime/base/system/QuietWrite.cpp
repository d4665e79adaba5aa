// Writes that end in an error where the system would send the program a signal.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/QuietWrite.h"
#include "base/Clock.h"
#include <cerrno>
#include <csignal>
#include <poll.h>

namespace gpuinstr {

namespace {

constexpr int Signals[] = {SIGPIPE, SIGXFSZ, SIGTTOU};
constexpr uint64_t PatienceNs = 1000000000;

size_t sizeOf(const iovec *parts, int count) {
  size_t all = 0;
  for (int i = 0; i < count; ++i)
    all += parts[i].iov_len;
  return all;
}

} // namespace

WriteScope::WriteScope() {
  sigemptyset(&Ours);
  for (int signal : Signals)
    sigaddset(&Ours, signal);
  sigemptyset(&Pending);
  sigpending(&Pending);
  pthread_sigmask(SIG_BLOCK, &Ours, &Before);
}

WriteScope::~WriteScope() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }

void WriteScope::takeSignal() {
  for (int signal : Signals)
    if (sigismember(&Pending, signal))
      sigdelset(&Ours, signal);
  timespec none{0, 0};
  while (sigtimedwait(&Ours, nullptr, &none) > 0)
    ;
}

ssize_t writeQuietly(int fd, const iovec *parts, int count) {
  WriteScope quiet;
  ssize_t n = ::writev(fd, parts, count);
  int error = errno;
  if (n < 0 || size_t(n) < sizeOf(parts, count)) // a pipe may take a part, and signal all the same
    quiet.takeSignal();
  errno = error;
  return n;
}

int writeAllQuietly(int fd, std::string_view content) {
  uint64_t deadline = monotonicNs() + PatienceNs;
  while (!content.empty()) {
    iovec rest{const_cast<char *>(content.data()), content.size()};
    ssize_t n = writeQuietly(fd, &rest, 1);
    if (n > 0) {
      content.remove_prefix(size_t(n));
    } else if (n < 0 && errno == EAGAIN) {
      uint64_t now = monotonicNs();
      pollfd waiting{fd, POLLOUT, 0};
      if (now >= deadline || ::poll(&waiting, 1, int((deadline - now) / 1000000) + 1) == 0)
        return ETIMEDOUT;
    } else if (n == 0 || errno != EINTR) {
      return n == 0 ? EIO : errno;
    }
  }
  return 0;
}

} // namespace gpuinstr
