// The call sites embedded in a binary, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_EMBEDDEDSITESTEXT_H
#define GPUINSTR_CLI_EXPORT_EMBEDDEDSITESTEXT_H

#include "lookup/EmbeddedSites.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

// `all`: calling lines and sites inside launch stubs as well.
std::string embeddedSitesText(const std::vector<EmbeddedModule> &modules, bool all);
std::string embeddedSitesJson(const std::vector<EmbeddedModule> &modules, bool all);

} // namespace gpuinstr::cli

#endif
