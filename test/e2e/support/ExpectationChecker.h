// Compares what a program did with what its source expects.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_E2E_EXPECTATIONCHECKER_H
#define GPUINSTR_TEST_E2E_EXPECTATIONCHECKER_H

#include "Spec.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gpuinstr::e2e {

/// How one run of a program ended.
struct Outcome {
  int64_t pid = 0;
  std::string ended; ///< "0", "23", "signal 15", "timeout"
  std::string out, err;
};

struct ProfileFile {
  std::string path; ///< relative to the scratch folder
  nlohmann::json profile;
};

struct Observed {
  Outcome run;
  std::optional<Outcome> plain;
  std::vector<ProfileFile> profiles;
  std::optional<std::string> report;
  std::vector<std::string> files; ///< all files of the scratch folder, relative
};

/// One message a disagreement, each `path:line: ...` with what was found below it. Empty: all as
/// expected. \p twin adds the expectation that nothing proven or likely is found.
std::vector<std::string> checkExpectations(const Spec &spec, const Observed &observed, bool twin);

} // namespace gpuinstr::e2e

#endif
