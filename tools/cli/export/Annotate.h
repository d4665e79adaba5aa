// The source with what a profile knows of each line.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_ANNOTATE_H
#define GPUINSTR_CLI_EXPORT_ANNOTATE_H

#include "profile/Profile.h"
#include <cstdint>
#include <string>

namespace gpuinstr::cli {

class Sources;

struct AnnotateStyle {
  uint32_t context = 3; ///< lines around each line that has figures
  bool whole = false;
  std::string only; ///< glob on source files, "" all
};

/// "" when no source file is left.
std::string annotate(const profile::Profile &profile, Sources &sources, const AnnotateStyle &style);

} // namespace gpuinstr::cli

#endif
