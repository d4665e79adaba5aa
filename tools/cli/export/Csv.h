// Tables of a profile as CSV (RFC 4180), with the column names of nsys stats.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_CSV_H
#define GPUINSTR_CLI_EXPORT_CSV_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

/// Fields with a comma, a quote or a line end are quoted.
std::string csvRow(const std::vector<std::string> &fields);

inline void append(std::vector<std::string> &to, const std::vector<std::string> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// "0.0" where the value is not finite.
std::string csvDecimals(double value, int decimals);

/// One row for each function called: the columns of nsys's cuda_api_sum.
std::string csvApi(const profile::Profile &profile);
/// The same for each call site, and where it stands; further columns are named as in the profile.
std::string csvSites(const profile::Profile &profile);
/// Time on the device, one row for each kernel and call site: the columns of nsys's
/// cuda_gpu_kern_sum, then where, and how many were timed.
std::string csvKernels(const profile::Profile &profile);
/// The same of copies and sets: cuda_gpu_mem_time_sum.
std::string csvTransfers(const profile::Profile &profile);
/// Bytes of copies and sets, one row for each kind and call site: cuda_gpu_mem_size_sum. Sizes of
/// single transfers are not kept: Med, Min, Max and StdDev are empty but for a single one.
std::string csvMemory(const profile::Profile &profile);
/// Memory over the whole run, one row for each site, caller, kind and device.
std::string csvAllocations(const profile::Profile &profile);
/// The program's ranges; what is not known is empty.
std::string csvPhases(const profile::Profile &profile);
/// Columns named as in the profile, and the place of the site.
std::string csvFindings(const profile::Profile &profile);

/// A table with the process's rank, host and pid behind each row; without its header unless
/// `header`, so that the tables of many processes are one.
std::string csvOfProcess(const std::string &table, const profile::Profile &profile, bool header);

struct CsvTable {
  const char *name, *nsys; ///< "kernels"; the report of nsys stats that it resembles, "" none
  std::string (*make)(const profile::Profile &);
};
const std::vector<CsvTable> &csvTables();

/// By either name. "" for any other.
std::string csvTable(const profile::Profile &profile, std::string_view name);

} // namespace gpuinstr::cli

#endif
