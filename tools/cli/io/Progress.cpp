// How far a long command is, on a terminal.
// SPDX-License-Identifier: Apache-2.0
#include "io/Progress.h"
#include <cstdio>
#include <unistd.h>

namespace gpuinstr::cli {

Progress::Progress(std::string what, std::size_t total)
    : What(std::move(what)), Total(total), On(::isatty(2) == 1 && total > 100) {}

void Progress::at(std::size_t done) {
  if (!On || (done != Total && done < Shown + Total / 100 + 1))
    return;
  Shown = done;
  std::fprintf(stderr, "\r%s: %zu of %zu", What.c_str(), done, Total);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (On && Shown)
    std::fprintf(stderr, "\r\033[K");
}

} // namespace gpuinstr::cli
