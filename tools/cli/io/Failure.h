// How a command fails.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_FAILURE_H
#define GPUINSTR_CLI_IO_FAILURE_H

#include <stdexcept>

namespace gpuinstr::cli {

/// A mistake of the user's or a file that cannot be used: one line on stderr, exit code 2.
class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace gpuinstr::cli

#endif
