// How far a long command is, on a terminal.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_PROGRESS_H
#define GPUINSTR_CLI_IO_PROGRESS_H

#include <cstddef>
#include <string>

namespace gpuinstr::cli {

/// "412 of 10000" over and over on one line of a terminal; silent elsewhere.
class Progress {
public:
  Progress(std::string what, std::size_t total);
  ~Progress();
  void at(std::size_t done);

private:
  std::string What;
  std::size_t Total, Shown = 0;
  bool On;
};

} // namespace gpuinstr::cli

#endif
