// Tables of a profile as CSV (RFC 4180), with the column names of nsys stats.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_CSV_H
#define GPUINSTR_CLI_CSV_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

/// Fields with a comma, a quote or a line end are quoted.
std::string csvRow(const std::vector<std::string> &fields);

/// One row for each function called: the columns of nsys's cuda_api_sum.
std::string csvApi(const profile::Profile &profile);
/// The same for each call site, and where it stands; further columns are named as in the profile.
std::string csvSites(const profile::Profile &profile);
/// Bytes by operation: the columns of nsys's cuda_gpu_mem_size_sum, one row a call site.
std::string csvMemory(const profile::Profile &profile);
/// Memory over the whole run, one row for each site, caller, kind and device.
std::string csvAllocations(const profile::Profile &profile);
/// Columns named as in the profile, and the place of the site.
std::string csvFindings(const profile::Profile &profile);

/// By name: api, sites, memory, allocations, findings. "" for any other.
std::string csvTable(const profile::Profile &profile, std::string_view name);

} // namespace gpuinstr::cli

#endif
