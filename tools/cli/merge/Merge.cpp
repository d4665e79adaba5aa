// Many profiles into one: sums, their spread over the ranks, and the union of the findings.
// SPDX-License-Identifier: Apache-2.0
#include "merge/Merge.h"
#include "merge/RankSet.h"
#include <algorithm>
#include <functional>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Profile;
using profile::Site;

struct Merger::SiteSum {
  Site site;
  DurationSum host;
  SpreadSum hostNs, calls, bytes;
  uint64_t ranks = 0;
};

struct Merger::FindingSum {
  Finding finding;
  RankSet ranks;
  uint64_t processes = 0, last = UINT64_MAX; ///< last: the process that added last
  SpreadSum count, bytes;
};

Merger::Merger() = default;
Merger::~Merger() = default;

static std::string hexOf(std::size_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

Merger::SiteSum &Merger::siteOf(const Site &site, Ids &ids) {
  auto own = SiteAt.find(site.id);
  if (own != SiteAt.end() && Sites[own->second]->site.file == site.file)
    return *Sites[own->second];
  std::string id = site.id;
  if (own != SiteAt.end()) { // another program's site of the same name
    id = hexOf(std::hash<std::string>()(site.id + '\n' + site.file));
    ids[site.id] = id;
    auto other = SiteAt.find(id);
    if (other != SiteAt.end())
      return *Sites[other->second];
  }
  SiteAt[id] = Sites.size();
  Sites.push_back(std::make_unique<SiteSum>());
  SiteSum &sum = *Sites.back();
  sum.site = site;
  sum.site.id = id;
  sum.site.calls = sum.site.failed = sum.site.bytes = 0;
  sum.site.device = {};
  return sum;
}

void Merger::addSites(const Profile &profile, int rank) {
  uint64_t all = 0;
  for (const Site &site : profile.sites) {
    SiteSum &sum = siteOf(site, Translated);
    uint64_t ns = site.host.total_ns + site.host.first_ns;
    all += ns;
    sum.site.calls += site.calls;
    sum.site.calls_estimated |= site.calls_estimated;
    sum.site.failed += site.failed;
    sum.site.bytes += site.bytes;
    sum.host.add(site.host);
    addDeviceTime(sum.site.device, site.device);
    if (site.calls) {
      ++sum.ranks;
      sum.hostNs.add(ns, rank);
      sum.calls.add(site.calls, rank);
      sum.bytes.add(site.bytes, rank);
    }
    for (const std::string &kernel : site.kernels)
      if (std::find(sum.site.kernels.begin(), sum.site.kernels.end(), kernel) ==
          sum.site.kernels.end())
        sum.site.kernels.push_back(kernel);
  }
  // When all ids are known.
  for (const Site &site : profile.sites) {
    Site &sum = siteOf(site, Translated).site;
    for (std::string line : site.device.captured_from) {
      translate(line);
      std::vector<std::string> &lines = sum.device.captured_from;
      if (std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(std::move(line));
    }
    sum.via = site.via;
    for (std::string &line : sum.via)
      translate(line);
  }
  Host.add(all, rank);
}

static void addEvidence(Finding &into, const Finding &from) {
  constexpr std::size_t MostKernels = 8;
  into.checked += from.checked;
  into.unchanged += from.unchanged;
  into.host_checked += from.host_checked;
  // `into.count` has those of `from` already.
  if (into.counted || from.counted)
    into.counted = (into.counted ? into.counted : into.count - from.count) +
                   (from.counted ? from.counted : from.count);
  into.last_look_ns = std::max(into.last_look_ns, from.last_look_ns);
  into.more_kernels |= from.more_kernels;
  for (const profile::KernelUse &use : from.kernels) {
    auto isSame = [&](const profile::KernelUse &known) {
      return known.site == use.site && known.access == use.access;
    };
    if (std::any_of(into.kernels.begin(), into.kernels.end(), isSame))
      continue;
    if (into.kernels.size() < MostKernels)
      into.kernels.push_back(use);
    else
      into.more_kernels = true;
  }
}

void Merger::addFindings(const Profile &profile, int rank) {
  for (Finding finding : profile.findings) {
    translate(finding.site), translate(finding.caller), translate(finding.related);
    for (profile::KernelUse &use : finding.kernels)
      translate(use.site);
    std::string key = finding.pattern.text() + '\n' + finding.grade.text() + '\n';
    for (const std::string *part :
         {&finding.site, &finding.caller, &finding.variable, &finding.error})
      key += *part + '\n';
    key += finding.suppressed ? 's' : '-';
    auto [at, fresh] = FindingAt.emplace(key, Findings.size());
    if (fresh) {
      Findings.push_back(std::make_unique<FindingSum>());
      Findings.back()->finding = finding;
      Findings.back()->finding.count = Findings.back()->finding.bytes = 0;
      Findings.back()->finding.cost_ns = 0;
      Findings.back()->finding.checked = Findings.back()->finding.unchanged = 0;
      Findings.back()->finding.host_checked = Findings.back()->finding.counted = 0;
    }
    FindingSum &sum = *Findings[at->second];
    sum.finding.count += finding.count;
    sum.finding.bytes += finding.bytes;
    sum.finding.cost_ns += finding.cost_ns;
    addEvidence(sum.finding, finding);
    sum.ranks.add(rank);
    sum.processes += sum.last != Processes;
    sum.last = Processes;
    sum.count.add(finding.count, rank);
    sum.bytes.add(finding.bytes, rank);
  }
}

template <class List, class Same>
static auto &sameOrNew(List &list, const typename List::value_type &value, Same same) {
  auto found = std::find_if(list.begin(), list.end(), same);
  if (found != list.end())
    return *found;
  list.push_back(value);
  return list.back();
}

static void unite(std::vector<std::string> &into, const std::vector<std::string> &from) {
  constexpr std::size_t Most = 1000; // notes may name processes: they must not pile up
  for (const std::string &text : from)
    if (into.size() < Most && std::find(into.begin(), into.end(), text) == into.end())
      into.push_back(text);
}

/// Notes of a trace differ between processes by their number alone: "trace: 12 events ...". One
/// line of all, with the sum.
static void addNotes(std::vector<std::string> &into, const std::vector<std::string> &from) {
  constexpr std::string_view Prefix = "trace: ";
  auto numberOf = [&](const std::string &text, std::string &rest) {
    std::size_t digits = text.compare(0, Prefix.size(), Prefix) == 0
                             ? text.find_first_not_of("0123456789", Prefix.size())
                             : 0;
    if (digits <= Prefix.size() || digits > Prefix.size() + 18 || digits == std::string::npos)
      return uint64_t(0);
    rest = text.substr(digits);
    return uint64_t(std::stoull(text.substr(Prefix.size(), digits - Prefix.size())));
  };
  for (const std::string &text : from) {
    std::string rest, known;
    uint64_t number = numberOf(text, rest), before = 0;
    auto same = std::find_if(into.begin(), into.end(), [&](const std::string &other) {
      before = number ? numberOf(other, known) : 0;
      return before && known == rest;
    });
    if (same != into.end())
      *same = std::string(Prefix) + std::to_string(before + number) + rest;
    else
      unite(into, {text});
  }
}

void Merger::addCoverage(const profile::Coverage &from) {
  profile::Coverage &sum = Sum.coverage;
  for (const profile::Image &image : from.images) {
    profile::Image &known =
        sameOrNew(sum.images, image, [&](const profile::Image &i) { return i.path == image.path; });
    known.instrumented |= image.instrumented;
    known.sites = std::max(known.sites, image.sites);
    known.sites_run = std::max(known.sites_run, image.sites_run);
    unite(known.unseen_calls, image.unseen_calls);
    known.trusted |= image.trusted;
  }
  addAudit(sum.audit, from.audit);
  unite(sum.vendor, from.vendor);
  unite(sum.addresses_taken, from.addresses_taken);
  addNotes(sum.notes, from.notes);
  sum.foreign_operations += from.foreign_operations;
  sum.sites = std::max(sum.sites, from.sites);
  sum.sites_run = std::max(sum.sites_run, from.sites_run);
}

void Merger::translate(std::string &id) const {
  if (auto found = Translated.find(id); found != Translated.end())
    id = found->second;
}

/// Counts add up over the processes; what was live at once is that of the largest.
void Merger::addAllocations(std::vector<profile::Allocations> from) {
  for (profile::Allocations &row : from) {
    translate(row.site);
    translate(row.caller);
    auto found = std::find_if(Sum.allocations.begin(), Sum.allocations.end(),
                              [&](const profile::Allocations &known) {
                                return known.site == row.site && known.caller == row.caller &&
                                       known.variable == row.variable &&
                                       known.memory == row.memory && known.device == row.device;
                              });
    if (found == Sum.allocations.end()) {
      Sum.allocations.push_back(std::move(row));
      continue;
    }
    found->count += row.count;
    found->bytes += row.bytes;
    found->peak_bytes = std::max(found->peak_bytes, row.peak_bytes);
    found->live_count += row.live_count;
    found->live_bytes += row.live_bytes;
  }
}

void Merger::addProcess(const Profile &profile, int rank) {
  profile::Process &sum = Sum.process;
  const profile::Process &from = profile.process;
  bool first = Processes == 0;
  uint64_t peak = 0;
  for (const profile::Device &device : profile.devices) {
    peak = std::max(peak, device.peak_bytes);
    profile::Device &known = sameOrNew(Sum.devices, device, [&](const profile::Device &d) {
      return d.ordinal == device.ordinal && d.name == device.name &&
             d.simulated == device.simulated;
    });
    if (device.peak_bytes > known.peak_bytes)
      known = device;
  }
  if (first || peak > MostPeak) {
    MostPeak = peak;
    Sum.peak_holders = profile.peak_holders;
    for (profile::Holder &holder : Sum.peak_holders)
      for (std::string *id : {&holder.site, &holder.caller})
        translate(*id);
  }
  Peak.add(peak, rank);
  Wall.add(from.wall_ns, rank);
  Hosts.insert(std::hash<std::string>()(from.host));
  if (first) {
    sum = from;
    sum.rank = -1;
    return;
  }
  sum.wall_ns = std::max(sum.wall_ns, from.wall_ns);
  sum.recorded_ns = std::max(sum.recorded_ns, from.recorded_ns);
  sum.startup_ns = std::max(sum.startup_ns, from.startup_ns);
  sum.ending_ns = std::max(sum.ending_ns, from.ending_ns);
  if (from.startup.total_ns > sum.startup.total_ns) {
    sum.startup = from.startup;
    translate(sum.startup.context_site);
  }
  if (from.own_cost_percent > sum.own_cost_percent)
    sum.own_costs = from.own_costs;
  sum.own_cost_percent = std::max(sum.own_cost_percent, from.own_cost_percent);
  sum.own_cupti_ns = std::max(sum.own_cupti_ns, from.own_cupti_ns);
  sum.own_host_bytes = std::max(sum.own_host_bytes, from.own_host_bytes);
  sum.own_device_bytes = std::max(sum.own_device_bytes, from.own_device_bytes);
  // One process that failed is what one wants to hear of.
  if (from.exit_code != 0)
    sum.exit_code = from.exit_code;
  if (sum.ended == "exit")
    sum.ended = from.ended;
}

void Merger::add(const Profile &profile) {
  int rank = profile.process.rank >= 0 ? profile.process.rank : static_cast<int>(Processes);
  Translated.clear();
  addSites(profile, rank);
  addFindings(profile, rank);
  addProcess(profile, rank);
  addAllocations(profile.allocations);
  addCoverage(profile.coverage);
  for (const profile::Suppression &rule : profile.suppressions) {
    profile::Suppression &known = sameOrNew(Sum.suppressions, {rule.rule, rule.origin, 0, 0},
                                            [&](const profile::Suppression &s) {
                                              return s.rule == rule.rule && s.origin == rule.origin;
                                            });
    known.used += rule.used;
    known.exceeded += rule.exceeded;
  }
  Sum.cuda_used |= profile.cuda_used;
  Sum.paused |= profile.paused;
  ++Processes;
}

void Merger::finishSites() {
  for (std::unique_ptr<SiteSum> &from : Sites) {
    from->site.host = from->host.figures();
    if (from->ranks) {
      profile::MergedSite row;
      row.site = from->site.id;
      row.ranks = from->ranks;
      row.host_ns = from->hostNs.figures(Processes);
      row.calls = from->calls.figures(Processes);
      row.bytes = from->bytes.figures(Processes);
      Sum.merged.sites.push_back(std::move(row));
    }
    Sum.sites.push_back(std::move(from->site));
  }
}

void Merger::finishFindings() {
  for (std::unique_ptr<FindingSum> &from : Findings) {
    profile::MergedFinding row;
    row.finding = Sum.findings.size();
    row.ranks = from->processes;
    row.rank_list = from->ranks.text();
    row.count = from->count.figures(Processes);
    row.bytes = from->bytes.figures(Processes);
    Sum.merged.findings.push_back(std::move(row));
    Sum.findings.push_back(std::move(from->finding));
  }
}

Profile Merger::finish() {
  finishSites();
  finishFindings();
  std::stable_sort(Sum.allocations.begin(), Sum.allocations.end(),
                   [](const profile::Allocations &a, const profile::Allocations &b) {
                     return a.bytes > b.bytes;
                   });
  Sum.merged.processes = Processes;
  Sum.merged.hosts = Hosts.size();
  Sum.merged.wall_ns = Wall.figures(Processes);
  Sum.merged.host_ns = Host.figures(Processes);
  Sum.merged.peak_bytes = Peak.figures(Processes);
  return std::move(Sum);
}

} // namespace gpuinstr::cli
