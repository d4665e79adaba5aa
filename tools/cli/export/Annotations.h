// Findings as CI servers read them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_ANNOTATIONS_H
#define GPUINSTR_CLI_EXPORT_ANNOTATIONS_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr::cli {

/// GitHub's workflow commands, a line for each finding that is not suppressed: proven bugs are
/// errors, proven waste warnings, all else notices. Files below `root` are written relative to it.
std::string githubAnnotations(const profile::Profile &profile, const std::string &root);

/// JUnit's XML: a test for each finding, failed where it is proven, skipped where it is suppressed;
/// one that passed where there is none.
std::string junit(const profile::Profile &profile, const std::string &root);

} // namespace gpuinstr::cli

#endif
