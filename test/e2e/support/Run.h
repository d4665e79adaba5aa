// Runs a test program in a scratch folder and gathers what it left.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_E2E_RUN_H
#define GPUINSTR_TEST_E2E_RUN_H

#include "ExpectationChecker.h"
#include "Spec.h"

#include <string>
#include <vector>

namespace gpuinstr::e2e {

struct RunRequest {
  std::string program;     ///< the instrumented program
  std::string plain;       ///< the same source without the plugin, "" none
  std::string scratch;     ///< an own folder for each run; emptied first
  std::string options;     ///< options of the runtime before those of the program's source, "" none
  std::string libraryPath; ///< put before LD_LIBRARY_PATH, "" none
  std::string runtime;     ///< GPUINSTR_RUNTIME, "" leaves it unset
};

/// Runs both programs. Appends what kept it from running to \p errors.
Observed runPrograms(const RunRequest &request, const Spec &spec, std::vector<std::string> &errors);

/// Reads one profile; appends to \p errors when it is no JSON.
bool readProfile(const std::string &path, nlohmann::json &profile,
                 std::vector<std::string> &errors);

} // namespace gpuinstr::e2e

#endif
