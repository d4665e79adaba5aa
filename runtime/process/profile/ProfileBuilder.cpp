// From counters, ledger and findings to the profile.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/ProfileBuilder.h"
#include "base/Clock.h"
#include "base/OwnMemory.h"
#include "base/ProcessState.h"
#include "base/Rank.h"
#include "base/system/Executable.h"
#include "base/system/SystemFile.h"
#include "base/text/Printable.h"
#include "calls/CudaState.h"
#include "calls/budget/OwnStart.h"
#include "calls/code/UnseenCode.h"
#include "calls/threads/Recording.h"
#include "calls/threads/Thread.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include "process/Parts.h"
#include "process/profile/FindingList.h"
#include "process/profile/IgnoreComment.h"
#include "process/profile/OwnCost.h"
#include "process/profile/SiteList.h"
#include "profile/kinds/SiteKind.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>
#include <utility>

namespace gpuinstr {

namespace {

std::vector<std::string> commandLine() {
  std::string text = readSystemFile(processFile("cmdline").c_str());
  std::vector<std::string> words;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
  }
  return words;
}

void fillProcess(profile::Process &p, const std::string &how, int exitCode) {
  p.pid = getpid();
  p.exe = executable();
  p.args = commandLine();
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0)
    p.host = host;
  Rank rank = currentRank();
  p.rank = rank.rank;
  p.rank_source = rank.source;
  uint64_t now = monotonicNs();
  p.wall_ns = now - processStartNs();
  p.recorded_ns = recordedNs(processStartNs(), now);
  p.ended = how;
  p.exit_code = exitCode;
  p.startup_ns = startupNs();
  p.own_host_bytes = ownHostBytes(); // first of all: the profile itself takes some
}

void fillDevices(profile::Profile &p) {
  std::map<int, profile::Device> all;
  for (const DeviceInfo &seen : seenDevices()) {
    profile::Device &d = all[seen.ordinal];
    d.ordinal = seen.ordinal;
    d.name = seen.name;
    d.memory_bytes = seen.memory;
    d.simulated = driverIsSimulated();
  }
  for (auto &entry : all)
    p.devices.push_back(std::move(entry.second));
}

/// So that nobody takes a part for the whole.
std::string leftOutText(size_t sites) {
  const std::string &only = options::options().only;
  return "left out, neither timed nor reported: " + plural(sites, "call site (", "call sites (") +
         (only.empty() ? "include= or exclude= when compiling" : "only=" + only) + ")";
}

void fillImages(profile::Coverage &c) {
  std::map<std::string, profile::Image> images;
  bool attached = false;
  size_t leftOut = 0;
  for (const ModuleInfo &module : registeredModules()) {
    if (module.producer == AttachedProducer) {
      c.notes.push_back("attached: driver calls of all code are seen; ignored errors and what "
                        "kernels do are not");
      attached = true;
    }
    if (module.producer == AttachedProducer || module.producer == CommunicatingProducer)
      continue;
    profile::Image &image = images[module.image];
    image.path = module.image;
    image.instrumented = true;
    for (SiteIndex index : module.sites) {
      if (isHiddenSite(index)) {
        ++leftOut;
        continue;
      }
      ++image.sites;
      image.sites_run += siteInfo(index)->ran.load();
    }
    for (const std::string &name : module.addressesTaken)
      if (std::find(c.addresses_taken.begin(), c.addresses_taken.end(), name) ==
          c.addresses_taken.end())
        c.addresses_taken.push_back(name);
  }
  if (leftOut)
    c.notes.push_back(leftOutText(leftOut));
  std::vector<LoadedImage> loaded = loadedImages();
  std::set<std::string> trusted;
  for (LoadedImage &image : loaded) {
    if (!image.vendor.empty())
      c.vendor.push_back(image.vendor);
    images[image.registeredAs].unseen_calls = std::exchange(image.unseenCalls, {});
    if (image.isTrusted)
      trusted.insert({image.path, image.registeredAs});
  }
  images.erase("");
  for (const std::string &path : unseenCudaUsers(loaded)) {
    if (!attached)
      images[path].path = path;
    else
      c.notes.push_back(path.substr(path.rfind('/') + 1) +
                        " communicates: what other processes "
                        "write is unseen, so waste is likely at most");
  }
  for (auto &[path, image] : images) {
    image.trusted = trusted.count(path) != 0;
    c.sites += image.sites;
    c.sites_run += image.sites_run;
    c.images.push_back(std::move(image));
  }
}

bool asksOfDevice(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  return site && profile::asksOfDevice(profile::siteKindOf(site->op));
}

} // namespace

profile::Profile buildProfile(Ending ending, const std::string &how, int exitCode) {
  profile::Profile p;
  p.cuda_used = cudaUsed();
  p.paused = isPaused();
  fillProcess(p.process, how, exitCode);
  SiteList sites;
  ProfileScope scope{sites, nsPerTick(), ending, 0, {}};
  auto merged = std::make_unique<CounterTable>();
  mergeCounters(*merged);
  uint64_t calls = 0;
  merged->each([&](SiteIndex index, const SiteCounters &counters) {
    if (counters.calls == 0)
      return;
    calls += counters.calls;
    if (!isHiddenSite(index))
      sites.addCounters(index, counters);
    else if (asksOfDevice(index))
      scope.hiddenDeviceCalls += counters.calls;
  });
  fillOwnCost(p.process, calls, scope.nsPerTick);
  if (!isHiddenSite(firstCudaSite()))
    p.process.first_site = sites.idOf(firstCudaSite());
  fillDevices(p);
  eachPart([&](Part &part) { part.fill(p, scope); });
  std::vector<FindingRecord> records;
  eachPart([&](Part &part) { part.findings(records, ending); });
  addFindings(p.findings, records, scope);
  fillImages(p.coverage);
  for (std::string &line : mistakenIgnores())
    p.coverage.notes.push_back(std::move(line));
  eachPart([&](Part &part) { part.notes(p.coverage.notes, ending); });
  p.sites = sites.finish(scope.nsPerTick);
  estimateCounts(p);
  eachPart([&](Part &part) { part.complete(p, scope); });
  addDeviceTimes(p);
  return p;
}

} // namespace gpuinstr
