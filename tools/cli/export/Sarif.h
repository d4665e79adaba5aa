// A profile as SARIF 2.1.0, for code hosts.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_SARIF_H
#define GPUINSTR_CLI_EXPORT_SARIF_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr::cli {

/// Files below `sourceRoot` (or a path that ends in it) become relative to it, "" none do. Findings
/// of class information are left out. `home` is where the tool's pages can be read, for readers
/// that want links: "" where nobody has said so, and then there are none. Indented JSON with a
/// newline at the end.
std::string sarif(const profile::Profile &profile, const std::string &sourceRoot,
                  const std::string &home = GPUINSTR_HOMEPAGE);

} // namespace gpuinstr::cli

#endif
