// Many profiles into one: sums, their spread over the ranks, and the union of the findings.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_MERGE_MERGE_H
#define GPUINSTR_CLI_MERGE_MERGE_H

#include "merge/Sums.h"
#include "profile/Profile.h"
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gpuinstr::cli {

/// Takes profiles one at a time. Its memory grows with the sites and findings that differ, and by
/// one bit a rank for each finding; not with the number of profiles.
class Merger {
public:
  Merger();
  ~Merger();
  /// The description of a site is that of the first profile that has it. A process without a rank
  /// is named by its place, from 0.
  void add(const profile::Profile &profile);
  uint64_t processes() const { return Processes; }
  profile::Profile finish();

private:
  struct SiteSum;
  struct FindingSum;
  using Ids = std::unordered_map<std::string_view, std::string>; ///< own id -> id in the sum

  SiteSum &siteOf(const profile::Site &site, Ids &ids);
  void addSites(const profile::Profile &profile, int rank);
  void addFindings(const profile::Profile &profile, int rank);
  void addProcess(const profile::Profile &profile, int rank);
  void addAllocations(std::vector<profile::Allocations> from);
  void translate(std::string &id) const;
  void addCoverage(const profile::Coverage &from);
  void finishSites();
  void finishFindings();

  uint64_t Processes = 0;
  profile::Profile Sum;
  Ids Translated; ///< of the profile being added: only ids that differ
  std::unordered_map<std::string, std::size_t> SiteAt;    ///< by id, and by id and file
  std::unordered_map<std::string, std::size_t> FindingAt; ///< by what makes it the same one
  std::vector<std::unique_ptr<SiteSum>> Sites;
  std::vector<std::unique_ptr<FindingSum>> Findings;
  std::unordered_set<std::size_t> Hosts; ///< hashes of their names
  SpreadSum Wall, Host, Peak;
  uint64_t MostPeak = 0;
};

/// Sums; the interval grows as that of independent estimates.
void addDeviceTime(profile::DeviceTime &into, const profile::DeviceTime &from);
void addAudit(profile::Audit &into, const profile::Audit &from);

} // namespace gpuinstr::cli

#endif
