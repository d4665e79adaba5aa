// From finding records to the profile's findings.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/FindingList.h"
#include "base/Guard.h"
#include "base/ProcessState.h"
#include "base/text/Printable.h"
#include "calls/sites/CallerRows.h"
#include "cuda/errors/ErrorNames.h"
#include "findings/FindingText.h"
#include "findings/Spelling.h"
#include "memory/ProfileMemory.h"
#include "process/profile/IgnoreComment.h"
#include "profile/DeviceRows.h"
#include "profile/kinds/SiteKind.h"
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace gpuinstr {

namespace {

/// At the site's or the caller's line.
bool ignoredInSource(const gpuinstr_site *site, std::string_view id, std::string &comment) {
  if (!site || !*site->ignore || !ignoresFinding(site->ignore, id))
    return false;
  comment = "gpuinstr-ignore: " + std::string(site->ignore);
  return true;
}

/// The same at any line from the outermost known caller to the CUDA call.
bool ignoredOnTheWay(SiteIndex site, SiteIndex caller, std::string_view id, std::string &comment) {
  if (ignoredInSource(siteAt(site), id, comment))
    return true;
  for (SiteIndex line : viaOf(site))
    if (ignoredInSource(siteAt(line), id, comment))
      return true;
  for (; caller; caller = nextCaller(caller))
    if (ignoredInSource(siteAt(caller), id, comment))
      return true;
  return false;
}

/// Two members that one constructor allocates would both be named after the object: then each keeps
/// the name that it has inside.
void separateNames(std::vector<profile::Finding> &findings,
                   const std::vector<FindingRecord> &from) {
  std::vector<bool> ambiguous(findings.size());
  for (size_t i = 0; i < findings.size(); ++i)
    for (size_t j = 0; j < findings.size(); ++j)
      if (from[i].key.caller && from[i].key.caller == from[j].key.caller &&
          from[i].key.site != from[j].key.site && findings[i].pattern == findings[j].pattern &&
          findings[i].variable == findings[j].variable)
        ambiguous[i] = true;
  for (size_t i = 0; i < findings.size(); ++i)
    if (const gpuinstr_site *own = siteAt(from[i].key.site);
        ambiguous[i] && own && *own->variable && !from[i].key.name && !from[i].key.owner)
      findings[i].variable = own->variable;
}

std::string accessText(uint8_t access) {
  if (access & GPUINSTR_ACCESS_UNKNOWN)
    return "unknown";
  if (access & GPUINSTR_ACCESS_ESCAPE)
    return "hands it on";
  bool reads = access & GPUINSTR_ACCESS_READ, writes = access & GPUINSTR_ACCESS_WRITE;
  return reads && writes ? "reads, writes" : reads ? "reads" : writes ? "writes" : "untouched";
}

profile::Finding toFinding(const FindingRecord &r, ListedSites &sites, double nsPerTick) {
  const FindingKey &key = r.key;
  profile::Finding f;
  f.pattern = key.pattern;
  f.grade = key.grade;
  f.site = sites.idOf(key.site);
  f.caller = sites.idOf(callerBeyond(key.site, key.caller));
  f.related = sites.idOf(key.related);
  SiteIndex owner = key.owner ? key.owner : key.site;
  SiteIndex ownerCaller = key.owner ? key.ownerCaller : key.caller;
  f.variable = variableOf(owner, ownerCaller, key.name);
  f.type = typeOf(owner, ownerCaller);
  f.memory = profile::resourceOf(key.resource);
  f.count = r.count;
  f.bytes = r.bytes;
  uint64_t size = typeSize(f.type);
  if (size && r.each % size == 0)
    f.elements = r.each / size;
  f.cost_ns = uint64_t(double(r.ticks) * nsPerTick);
  f.direction = r.direction;
  if (!f.direction.empty())
    f.source = copySource(siteAt(key.site));
  f.checked = r.checked + r.news;
  f.unchanged = r.unchanged;
  f.host_checked = r.hostChecked;
  f.in_place = r.inPlace != 0;
  f.of_caller = r.ofCaller;
  f.bytes_of_caller = r.bytesOfCaller;
  f.firsts = key.pattern != Pattern::Roundtrip ? r.firsts : r.isAnew ? 2 : r.isStaged;
  // Repeats between two looks count by tag: nobody saw what they sent.
  if ((key.pattern == Pattern::NoopCopy || key.pattern == Pattern::Roundtrip ||
       key.pattern == Pattern::Reupload) &&
      key.grade != Grade::Advice && r.checked && r.unchanged < r.count)
    f.counted = r.unchanged;
  if (key.pattern == Pattern::DeadCopy && r.checked < r.count)
    f.counted = r.checked; // 0: each was seen to be dead
  if (r.lastLookNs > processStartNs())
    f.last_look_ns = r.lastLookNs - processStartNs();
  for (auto &[site, access] : r.kernels.known)
    f.kernels.push_back({sites.idOf(site), accessText(access)});
  f.more_kernels = r.kernels.more;
  if (key.error)
    f.error = errorName(key.error, key.driverError);
  FindingText text = findingText(r, f.variable);
  f.message = text.message;
  f.fix = text.fix;
  std::string_view id = profile::textOf(key.pattern);
  f.suppressed = ignoredOnTheWay(key.site, key.caller, id, f.suppression);
  addHolders(f.holders, r.holders, sites);
  return f;
}

/// A call that cannot be right has an error as well, and nobody asked for that: one bug, not two.
void dropConsequences(std::vector<FindingRecord> &records) {
  auto told = [&](const FindingKey &key) {
    uint64_t count = 0;
    for (const FindingRecord &record : records)
      if ((record.key.pattern == Pattern::DoubleFree ||
           record.key.pattern == Pattern::InvalidFree ||
           record.key.pattern == Pattern::OutOfBoundsCopy ||
           record.key.pattern == Pattern::CopyAfterFree) &&
          record.key.grade == Grade::Proven && record.key.site == key.site &&
          record.key.caller == key.caller)
        count += record.count;
    return count;
  };
  std::vector<FindingRecord> kept;
  for (const FindingRecord &record : records)
    if (record.key.pattern != Pattern::IgnoredError || record.count > told(record.key))
      kept.push_back(record);
  records = std::move(kept);
}

} // namespace

void addFindings(std::vector<profile::Finding> &to, std::vector<FindingRecord> &records,
                 ProfileScope &scope) {
  records.erase(
      std::remove_if(records.begin(), records.end(),
                     [](const FindingRecord &record) { return isHiddenSite(record.key.site); }),
      records.end());
  dropConsequences(records);
  // What was lost may be what makes it wrong.
  if (MemoryLosses.load())
    for (FindingRecord &record : records)
      if (record.key.grade == Grade::Proven)
        record.key.grade = Grade::Likely;
  for (const FindingRecord &record : records)
    to.push_back(toFinding(record, scope.sites, scope.nsPerTick));
  separateNames(to, records);
}

/// Others that the line makes are used: the line itself must stay. Of several callers, each is told
/// as one line of its own, and how often it calls is not known.
static void noteUsedOnes(profile::Finding &f, const profile::Site &site) {
  const uint64_t good = site.calls - std::min(site.failed, site.calls);
  if (f.pattern != Pattern::UnusedAllocation || site.caller != f.caller || good <= f.count)
    return;
  f.message += "; " + std::to_string(f.count) + " of " + std::to_string(good) + " at this line";
  f.fix = "allocate only what is used";
}

/// What goes to new buffers each time, from another by way of the host: of these few are looked at.
static bool isOfNewBuffers(const profile::Finding &f) {
  return f.pattern == Pattern::Reupload || (f.pattern == Pattern::Roundtrip && f.firsts);
}

/// Copies of the finding's line that went well, of its caller alone where there are several.
struct LineCopies {
  uint64_t count, bytes;
};
static LineCopies copiesOf(const profile::Finding &f, const profile::Site &site) {
  if (site.caller == f.caller)
    return {site.calls - std::min(site.failed, site.calls), site.bytes};
  return {f.of_caller, f.bytes_of_caller};
}

/// A reupload shows only where the buffer before was looked at as well; in quick loops few are. All
/// that were looked at were reuploads, and the line does nothing else: then all but the first are,
/// or the first of each part of a buffer; likewise of round trips. Not of what went to a buffer
/// twice: how many buffers the line fills once, nobody has counted.
void estimateCounts(profile::Profile &profile) {
  std::unordered_map<std::string_view, const profile::Site *> sites;
  std::map<std::pair<std::string_view, std::string_view>, unsigned> others; // by site and caller
  for (const profile::Site &site : profile.sites)
    sites.emplace(site.id, &site);
  for (const profile::Finding &f : profile.findings)
    others[{f.site, f.caller}] += f.pattern == Pattern::NoopCopy ||
                                  f.pattern == Pattern::Roundtrip || f.pattern == Pattern::Reupload;
  for (profile::Finding &f : profile.findings) {
    auto found = sites.find(f.site);
    if (found != sites.end())
      noteUsedOnes(f, *found->second);
    if (!isOfNewBuffers(f) || f.grade == Grade::Advice || f.count == 0 || f.in_place ||
        f.unchanged != f.checked || found == sites.end())
      continue;
    const profile::Site &site = *found->second;
    const uint64_t each = f.bytes / f.count, all = site.calls - std::min(site.failed, site.calls);
    if (all <= f.firsts || all - f.firsts <= f.count)
      continue;
    const LineCopies copies = copiesOf(f, site);
    const uint64_t good = copies.count;
    // It does something else as well, or how often it ran is not known.
    if (others[{f.site, f.caller}] != 1 || copies.bytes != good * each || good <= f.firsts ||
        good - f.firsts <= f.count) {
      f.message = withoutTotal(f.message);
      continue;
    }
    if (!f.counted)
      f.counted = f.count;
    f.count = good - f.firsts;
    f.bytes = f.count * each;
    f.message = withoutTotal(f.message);
    // The few that were met may have been slow ones; all were timed.
    double eachNs = site.host.count ? site.host.mean_ns : double(f.cost_ns) / double(f.counted);
    f.cost_ns = uint64_t(eachNs * double(f.count));
  }
}

/// A copy that blocks waits for the kernels before it, which take their time without it as well;
/// one from pageable memory takes the host's time, too. Which of them it was, nobody measured. Its
/// stream's share between the events around the copy is the copy's own. A copy within the device
/// makes nobody wait: where its call does, the queue of what the device is to do was full, as it
/// would be without it.
static void noteWait(profile::Finding &f, const profile::Site &site) {
  constexpr uint64_t CallNs = 50000; // what a call may take beside its copy and any wait
  const bool isWithin = f.direction == TransferDirection::DeviceToDevice;
  const bool isOfHost = f.direction == TransferDirection::DeviceToHost ||
                        f.direction == TransferDirection::HostToDevice;
  if ((!isWithin && !(isOfHost && profile::blocksHost(site))) || !f.count)
    return;
  const double share = std::min(1.0, double(f.bytes) / double(site.bytes));
  const double copies = share * double(site.device.total_ns);
  const double most = copies + share * double(site.device.ci_ns);
  if (2 * most + double(f.count * CallNs) > double(f.cost_ns))
    return;
  if (isWithin) {
    f.cost_ns = uint64_t(most) + f.count * CallNs;
    return;
  }
  f.message += "; the copies took ~" + timeText(copies) +
               " of that, waiting and the host's own work the rest";
}

void addDeviceTimes(profile::Profile &profile) {
  std::unordered_map<std::string_view, const profile::Site *> sites;
  for (const profile::Site &site : profile.sites)
    sites.emplace(site.id, &site);
  for (profile::Finding &f : profile.findings) {
    bool isTransfer = f.pattern == Pattern::NoopCopy || f.pattern == Pattern::Reupload ||
                      f.pattern == Pattern::Roundtrip || f.pattern == Pattern::DeadCopy;
    auto found = sites.find(f.site);
    if (!isTransfer || found == sites.end())
      continue;
    const profile::Site &site = *found->second;
    bool isCopy = site.kind == profile::SiteKind::Copy || site.kind == profile::SiteKind::Set;
    if (isCopy && site.device.samples && site.bytes) {
      double share = std::min(1.0, double(f.bytes) / double(site.bytes));
      double device = share * double(site.device.total_ns);
      f.cost_ns = std::max(f.cost_ns, uint64_t(device));
      noteWait(f, site);
    }
    f.cost_ns = std::min(f.cost_ns, profile.process.wall_ns);
  }
}

} // namespace gpuinstr
