// What the runtime says on stderr.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Stderr.h"
#include "base/Rank.h"
#include <cerrno>
#include <unistd.h>

namespace gpuinstr {

void writeToStderr(std::string_view text) {
  if (!printsToStderr(currentRank()))
    return;
  int savedErrno = errno;
  while (!text.empty()) {
    ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    text.remove_prefix(size_t(n));
  }
  errno = savedErrno;
}

} // namespace gpuinstr
