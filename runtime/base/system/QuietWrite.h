// Writes that end in an error where the system would send the program a signal.
// SPDX-License-Identifier: Apache-2.0
//
// A pipe or socket without a reader is SIGPIPE, a file beyond RLIMIT_FSIZE is SIGXFSZ, and a
// terminal may stop who writes from the background (SIGTTOU). The program did not ask for these
// writes, so it must not get their signals. All three are sent to the thread that writes: blocked
// there, and taken off the queue again, they are seen by nobody.
#ifndef GPUINSTR_BASE_SYSTEM_QUIETWRITE_H
#define GPUINSTR_BASE_SYSTEM_QUIETWRITE_H

#include <csignal>
#include <string_view>
#include <sys/uio.h>

namespace gpuinstr {

/// Blocks these signals in this thread while it lives.
class WriteScope {
public:
  WriteScope();
  WriteScope(const WriteScope &) = delete;
  ~WriteScope();

  /// After a write that fell short: takes its signal, but none that was waiting before.
  void takeSignal();

private:
  sigset_t Ours, Pending, Before;
};

/// writev() without those signals.
ssize_t writeQuietly(int fd, const iovec *parts, int count);

/// Writes everything, in one piece where the system takes it so. Waits at most a second in all
/// where the descriptor does not block and the other side is slow. 0 or errno.
int writeAllQuietly(int fd, std::string_view content);

} // namespace gpuinstr

#endif
