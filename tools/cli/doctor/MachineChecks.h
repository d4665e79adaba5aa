// What could keep a program from being watched on this machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_DOCTOR_MACHINECHECKS_H
#define GPUINSTR_CLI_DOCTOR_MACHINECHECKS_H

#include <string>
#include <vector>

namespace gpuinstr::cli {

struct Check {
  enum class State { Good, Note, Bad } state;
  std::string name, text, advice; ///< advice: what to do, "" nothing
};

/// Looks at this machine, its environment, and `program` unless that is "". Starts the compiler and
/// loads the driver in child processes. Throws Failure for a program that cannot be read.
std::vector<Check> examine(const std::string &program);

/// One line a check, and one for its advice.
std::string checkLines(const std::vector<Check> &checks);

} // namespace gpuinstr::cli

#endif
