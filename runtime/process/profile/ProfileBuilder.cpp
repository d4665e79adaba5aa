// From counters, ledger and findings to the profile.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/ProfileBuilder.h"
#include "audit/engine/DeviceHasher.h"
#include "audit/state/Auditor.h"
#include "base/Clock.h"
#include "base/OwnMemory.h"
#include "base/Rank.h"
#include "calls/CudaState.h"
#include "calls/OneTimeCosts.h"
#include "calls/sites/Images.h"
#include "calls/threads/Recording.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include "findings/FindingText.h"
#include "findings/IgnoredErrors.h"
#include "memory/CustomPools.h"
#include "memory/Leaks.h"
#include "memory/ProfileMemory.h"
#include "nvtx/CaptureRange.h"
#include "nvtx/Nvtx.h"
#include "process/profile/OwnCost.h"
#include "process/profile/SiteList.h"
#include "profile/Kinds.h"
#include "profile/StartUp.h"
#include "time/Breakdown.h"
#include "time/exact/Exact.h"
#include "time/sampled/Sampler.h"
#include "trace/Trace.h"
#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <unistd.h>

namespace gpuinstr {

namespace {

std::vector<std::string> commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  return words;
}

void fillProcess(profile::Process &p, const std::string &how, int exitCode) {
  p.pid = getpid();
  char text[PATH_MAX] = "";
  ssize_t n = readlink("/proc/self/exe", text, sizeof text);
  p.exe = n > 0 ? std::string(text, size_t(n)) : std::string();
  p.args = commandLine();
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0)
    p.host = host;
  options::Rank rank = options::currentRank();
  p.rank = rank.rank;
  p.rank_source = rank.source;
  uint64_t now = monotonicNs();
  p.wall_ns = now - processStartNs();
  p.recorded_ns = recordedNs(processStartNs(), now);
  p.ended = how;
  p.exit_code = exitCode;
  p.startup_ns = startupNs();
  p.own_host_bytes = ownHostBytes(); // first of all: the profile itself takes some
  p.own_device_bytes = audit::engineDeviceBytes();
}

uint64_t sinceStart(uint64_t stamp, double nsPerTick) {
  double ns = double(int64_t(stamp - clockStartTicks())) * nsPerTick + double(clockStartNs());
  return ns > double(processStartNs()) ? uint64_t(ns - double(processStartNs())) : 0;
}

void fillDevices(profile::Profile &p, double nsPerTick) {
  std::map<int, profile::Device> all;
  for (const DeviceInfo &seen : seenDevices()) {
    profile::Device &d = all[seen.ordinal];
    d.ordinal = seen.ordinal;
    d.name = seen.name;
    d.memory_bytes = seen.memory;
    d.simulated = driverIsSimulated();
    d.kernels_not_run = cuda::kernelsNotRun();
  }
  for (const DevicePeak &peak : ledger().peaks()) {
    profile::Device &d = all[peak.device];
    d.ordinal = peak.device;
    d.peak_bytes = peak.bytes;
    d.peak_at_ns = sinceStart(peak.atTicks, nsPerTick);
  }
  for (auto &entry : all)
    p.devices.push_back(std::move(entry.second));
}

/// `// gpuinstr-ignore: <id> reason` at the site's or the caller's line.
bool ignoredInSource(const gpuinstr_site *site, const char *id, std::string &comment) {
  if (!site || !*site->ignore)
    return false;
  size_t length = std::strlen(id);
  if (std::strncmp(site->ignore, id, length) != 0 ||
      (site->ignore[length] != 0 && !std::strchr(" \t,:", site->ignore[length])))
    return false;
  comment = "gpuinstr-ignore: " + std::string(site->ignore);
  return true;
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

profile::Finding toFinding(const FindingRecord &r, SiteList &sites, double nsPerTick) {
  const FindingKey &key = r.key;
  profile::Finding f;
  f.pattern = patternId(key.pattern);
  f.grade = gradeName(key.grade);
  f.site = sites.idOf(key.site);
  f.caller = sites.idOf(key.caller);
  f.related = sites.idOf(key.related);
  SiteIndex owner = key.owner ? key.owner : key.site;
  SiteIndex ownerCaller = key.owner ? key.ownerCaller : key.caller;
  f.variable = variableOf(owner, ownerCaller, key.name);
  f.type = typeOf(owner, ownerCaller);
  f.memory = profile::resourceName(key.resource);
  f.count = r.count;
  f.bytes = r.bytes;
  uint64_t size = typeSize(f.type);
  if (size && r.each % size == 0)
    f.elements = r.each / size;
  f.cost_ns = uint64_t(double(r.ticks) * nsPerTick);
  f.direction = r.direction;
  if (*r.direction)
    f.source = copySource(siteAt(key.site));
  f.checked = r.checked;
  f.unchanged = r.unchanged;
  if (key.error)
    f.error = errorName(key.error, key.driverError);
  FindingText text = findingText(r, f.variable);
  f.message = text.message;
  f.fix = text.fix;
  f.suppressed = ignoredInSource(siteAt(key.site), f.pattern.c_str(), f.suppression) ||
                 ignoredInSource(siteAt(key.caller), f.pattern.c_str(), f.suppression);
  addHolders(f.holders, r.holders, sites);
  return f;
}

/// Errors that running threads hold: nobody will ask any more.
void addUnasked(std::vector<FindingRecord> &records) {
  eachPendingError(
      [](const PendingError &pending, void *context) {
        auto &all = *static_cast<std::vector<FindingRecord> *>(context);
        addToRecords(all, pendingKey(pending), 0);
      },
      &records);
}

void fillFindings(profile::Profile &p, Ending ending, SiteList &sites, double nsPerTick) {
  std::vector<FindingRecord> records = recordedFindings();
  if (ending != Ending::Now)
    addUnasked(records);
  if (ending == Ending::Exit)
    for (const FindingRecord &leak : leaksAtExit())
      records.push_back(leak);
  for (const FindingRecord &waste : audit::wasteFound())
    records.push_back(waste);
  for (const FindingRecord &advice : timing::timingFindings())
    records.push_back(advice);
  records.erase(std::remove_if(records.begin(), records.end(),
                               [](const FindingRecord &record) {
                                 return SiteList::isHidden(record.key.site);
                               }),
                records.end());
  for (const FindingRecord &record : records)
    p.findings.push_back(toFinding(record, sites, nsPerTick));
  separateNames(p.findings, records);
}

void fillAudit(profile::Audit &to) {
  audit::Figures from = audit::auditFigures();
  auto skipped = [&](audit::Skip why) { return from.skipped[unsigned(why)]; };
  to.mode = audit::auditMode();
  to.eligible = from.eligible;
  to.eligible_bytes = from.eligibleBytes;
  to.verified = from.verified;
  to.verified_bytes = from.verifiedBytes;
  to.skipped_budget = skipped(audit::Skip::Budget);
  to.skipped_busy = skipped(audit::Skip::Busy);
  to.skipped_capture = skipped(audit::Skip::Capture);
  to.skipped_device = skipped(audit::Skip::NoEngine);
  to.skipped_unreadable = skipped(audit::Skip::NotLinear);
}

void fillCoverage(profile::Profile &p, Ending ending) {
  profile::Coverage &c = p.coverage;
  fillAudit(c.audit);
  std::map<std::string, profile::Image> images;
  for (const ModuleInfo &module : registeredModules()) {
    profile::Image &image = images[module.image];
    image.path = module.image;
    image.instrumented = true;
    for (SiteIndex index : module.sites) {
      if (SiteList::isHidden(index))
        continue;
      ++image.sites;
      image.sites_run += siteInfo(index)->ran.load();
    }
    for (const std::string &name : module.addressesTaken)
      if (std::find(c.addresses_taken.begin(), c.addresses_taken.end(), name) ==
          c.addresses_taken.end())
        c.addresses_taken.push_back(name);
  }
  std::vector<LoadedImage> loaded = loadedImages();
  for (const LoadedImage &image : loaded)
    if (!image.vendor.empty())
      c.vendor.push_back(image.vendor);
  for (const std::string &path : unseenCudaUsers(loaded))
    images[path].path = path;
  for (auto &[path, image] : images) {
    c.sites += image.sites;
    c.sites_run += image.sites_run;
    c.images.push_back(std::move(image));
  }
  if (ending == Ending::Killed) {
    LiveTotals live = liveTotals();
    if (live.count)
      c.notes.push_back(
          "live when killed: " + std::to_string(live.count) +
          (live.count == 1 ? " allocation or handle, " : " allocations and handles, ") +
          bytesText(live.bytes) + " (not judged as leaks)");
  }
  for (std::string &note : leakNotes())
    c.notes.push_back(std::move(note));
  for (std::string &note : poolNotes())
    c.notes.push_back(std::move(note));
  for (std::string &note : captureNotes())
    c.notes.push_back(std::move(note));
  for (std::string &note : timing::timingNotes())
    c.notes.push_back(std::move(note));
  for (std::string &note : trace::traceNotes())
    c.notes.push_back(std::move(note));
  for (std::string &note : audit::auditNotes())
    c.notes.push_back(std::move(note));
  if (std::string note = nvtxNote(); !note.empty())
    c.notes.push_back(note);
}

uint64_t scaled(uint64_t ticks, double nsPerTick) { return uint64_t(double(ticks) * nsPerTick); }

/// Names the sites; profile::fillStartUp does the rest when they are listed.
std::vector<profile::FirstLaunches> startUpOf(profile::StartUp &to, SiteList &sites,
                                              double nsPerTick) {
  StartUpFacts facts = startUpFacts();
  auto shown = [&](SiteIndex site) {
    return SiteList::isHidden(site) ? std::string() : sites.idOf(site);
  };
  to.context_ns = scaled(facts.contextTicks, nsPerTick);
  to.context_site = shown(facts.contextSite);
  std::vector<profile::FirstLaunches> launches;
  for (const FirstLaunches &row : facts.launches)
    launches.push_back({shown(row.site), row.kernels, scaled(row.ticks, nsPerTick)});
  return launches;
}

bool asksOfDevice(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  return site && profile::asksOfDevice(profile::kindName(site->op));
}

} // namespace

profile::Profile buildProfile(Ending ending, const std::string &how, int exitCode) {
  profile::Profile p;
  p.cuda_used = cudaUsed();
  p.paused = isPaused();
  fillProcess(p.process, how, exitCode);
  double ns = nsPerTick();
  SiteList sites;
  auto merged = std::make_unique<CounterTable>();
  mergeCounters(*merged);
  uint64_t calls = 0, leftOut = 0;
  merged->each([&](SiteIndex index, const SiteCounters &counters) {
    if (counters.calls == 0)
      return;
    calls += counters.calls;
    if (!SiteList::isHidden(index))
      sites.addCounters(index, counters);
    else if (asksOfDevice(index))
      leftOut += counters.calls;
  });
  p.process.own_cost_percent = ownCostPercent(calls, ns, p.process.wall_ns);
  timing::addExactCosts(p.process);
  if (!SiteList::isHidden(firstCudaSite()))
    p.process.first_site = sites.idOf(firstCudaSite());
  fillDevices(p, ns);
  for (const profile::Device &device : p.devices)
    addHolders(p.peak_holders, ledger().holdersAtPeak(device.ordinal), sites);
  p.allocations = allocationsOf(sites, ending == Ending::Exit);
  std::vector<profile::FirstLaunches> launches = startUpOf(p.process.startup, sites, ns);
  fillFindings(p, ending, sites, ns);
  fillCoverage(p, ending);
  p.sites = sites.finish(ns);
  profile::fillStartUp(p, launches);
  timing::fillBreakdown(p, leftOut);
  return p;
}

} // namespace gpuinstr
