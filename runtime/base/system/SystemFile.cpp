// Files of /proc and the like.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/SystemFile.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace gpuinstr {

std::string readSystemFile(const char *path, std::size_t most) {
  int savedErrno = errno, file = ::open(path, O_RDONLY | O_CLOEXEC);
  std::string text;
  char part[4096];
  while (file >= 0 && text.size() < most) {
    ssize_t n = ::read(file, part, std::min(sizeof part, most - text.size()));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    text.append(part, static_cast<std::size_t>(n));
  }
  if (file >= 0)
    ::close(file);
  errno = savedErrno;
  return text;
}

} // namespace gpuinstr
