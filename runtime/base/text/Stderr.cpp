// What the runtime says on stderr.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Stderr.h"
#include "base/Rank.h"
#include "base/system/GivenStreams.h"
#include "base/system/QuietWrite.h"
#include <cerrno>
#include <unistd.h>

namespace gpuinstr {

void writeToStderr(std::string_view text) {
  if (!printsToStderr(currentRank()) || !isGivenStream(STDERR_FILENO))
    return;
  int savedErrno = errno;
  writeAllQuietly(STDERR_FILENO, text);
  errno = savedErrno;
}

} // namespace gpuinstr
