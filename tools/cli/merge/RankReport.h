// What a merged profile says of its ranks, as text.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_MERGE_RANKREPORT_H
#define GPUINSTR_CLI_MERGE_RANKREPORT_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr::cli {

/// What stands before everything else: how many, the slow rank, the leaking ones. "" for a profile
/// of one process.
std::string rankHead(const profile::Profile &profile);

/// "" for a profile of one process. At most `rows` sites and findings each.
std::string rankReport(const profile::Profile &profile, std::size_t rows);

/// "2.31 s on rank 5, average 1.02 s (+126 %)": only what is worth a line.
std::string spreadText(const profile::Spread &spread, bool bytes);

} // namespace gpuinstr::cli

#endif
