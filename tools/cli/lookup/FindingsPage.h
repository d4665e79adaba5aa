// docs/Findings.md, embedded.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_FINDINGSPAGE_H
#define GPUINSTR_CLI_LOOKUP_FINDINGSPAGE_H

#include <string>
#include <string_view>

namespace gpuinstr::cli {

/// The whole page.
std::string_view findingsPage();

/// The section of a finding with its heading, "" for an unknown id.
std::string explanation(std::string_view id);

} // namespace gpuinstr::cli

#endif
