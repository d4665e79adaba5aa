// The profile's sites: descriptors of all modules, merged by place.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/SiteList.h"
#include "base/Hash.h"
#include "calls/budget/WatchWindows.h"
#include "calls/sites/CallerRows.h"
#include "calls/sites/Kernels.h"
#include "memory/ProfileMemory.h"
#include "profile/kinds/SiteKind.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace gpuinstr {

namespace {

std::string hex(uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

/// A line that uses a wrapper more than once at one place, as the end of a block with several
/// destructors, has one row; what a wrapper has another one do at two of its lines, has two.
uint64_t placeOf(SiteIndex index) {
  const gpuinstr_site &site = *siteAt(index);
  std::vector<SiteIndex> via = viaOf(index);
  uint64_t id = via.empty() ? site.id : hashMix(siteAt(via.back())->id, via.size());
  uint64_t key = hashMix(id, hashText(site.file));
  for (size_t i = 0; i + 1 < via.size(); ++i)
    key = hashMix(key, siteAt(via[i])->id);
  if (via.size() > 1 && site.op >= GPUINSTR_OP_COPY && site.op <= GPUINSTR_OP_SET_2D)
    key = hashMix(key, hashText(site.variable));
  return hashMix(hashMix(key, site.op), (uint64_t(site.line) << 32) | site.column);
}

uint64_t scaled(uint64_t ticks, double nsPerTick) {
  return uint64_t(double(ticks) * nsPerTick + 0.5);
}

/// Behind the last that was seen some may have gone unseen.
bool mayHaveMore(SiteIndex index, uint64_t calls) {
  return calls && siteAt(index)->flags & GPUINSTR_SITE_FREQUENT && countsAreEstimates();
}

/// Those that were timed stand for all calls: of launches in a row some blocks are left out, the
/// last of them with no block after it.
void standForAll(profile::Duration &d, uint64_t calls) {
  uint64_t others = calls - (d.first_ns ? 1 : 0);
  if (d.samples == 0 || calls == 0 || others == d.count)
    return;
  d.count = std::max(others, d.samples); // a call in progress may be counted on one side alone
  d.total_ns = uint64_t(d.mean_ns * double(d.count) + 0.5);
}

profile::Duration inNs(const SiteCounters &counters, double nsPerTick) {
  profile::Duration d = counters.host.figures();
  standForAll(d, counters.calls);
  for (uint64_t *ticks : {&d.total_ns, &d.min_ns, &d.max_ns, &d.median_ns, &d.first_ns})
    *ticks = scaled(*ticks, nsPerTick);
  d.mean_ns *= nsPerTick;
  d.stddev_ns *= nsPerTick;
  return d;
}

profile::Site describe(const gpuinstr_site &site) {
  profile::Site s;
  s.kind = profile::siteKindOf(site.op);
  s.file = site.file;
  s.line = site.line;
  s.column = site.column;
  s.function = site.function;
  s.callee = site.callee;
  for (unsigned i = 0; i < site.num_arguments; ++i)
    s.arguments.push_back(site.arguments[i]);
  s.variable = site.variable;
  s.type = site.type;
  s.memory = profile::resourceOf(site.resource);
  return s;
}

} // namespace

SiteList::Entry *SiteList::entryOf(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  if (!site)
    return nullptr;
  Entry *&entry = ByPlace[placeOf(index)];
  if (!entry) {
    Entries.push_back(std::make_unique<Entry>());
    entry = Entries.back().get();
    entry->first = index;
    entry->id = hex(site->id);
    if (ById.count(entry->id))
      entry->id = hex(placeOf(index));
    ById[entry->id] = entry;
  }
  if (std::find(entry->members.begin(), entry->members.end(), index) == entry->members.end())
    entry->members.push_back(index);
  return entry;
}

void SiteList::addCounters(SiteIndex index, const SiteCounters &counters) {
  Entry *entry = entryOf(index);
  if (!entry)
    return;
  entry->counters.merge(counters);
  AllCalled.push_back({index, entry, &counters});
}

void SiteList::eachCalled(const Visit &visit) {
  for (const Called &called : AllCalled)
    visit(called.index, *called.counters, called.entry->device);
}

std::string SiteList::idOf(SiteIndex index) {
  Entry *entry = entryOf(index);
  return entry ? entry->id : std::string();
}

std::vector<profile::Site> SiteList::finish(double nsPerTick) {
  std::vector<profile::Site> sites;
  // Callers that only sites name are listed too: the vector grows while it is walked.
  for (size_t i = 0; i < Entries.size(); ++i) {
    Entry &entry = *Entries[i];
    profile::Site site = describe(*siteAt(entry.first));
    site.id = entry.id;
    const SiteCounters &c = entry.counters;
    SiteIndex caller = nextCaller(entry.first);
    if (c.calls != 0 && !c.manyCallers && c.caller)
      caller = callerBeyond(entry.first, c.caller);
    site.caller = idOf(caller);
    for (SiteIndex between : viaOf(entry.first))
      site.via.push_back(idOf(between));
    if (SiteIndex user = userOf(entry.first))
      site.variable = variableOf(entry.first, user, 0);
    site.calls = c.calls;
    site.calls_estimated = c.guessed || mayHaveMore(entry.first, c.calls);
    site.failed = c.failed;
    site.bytes = c.bytes;
    site.host = inNs(c, nsPerTick);
    site.device = entry.device;
    site.device.operations_estimated |= site.calls_estimated;
    for (profile::DeviceRow &row : site.device.rows)
      row.operations_estimated |= site.calls_estimated;
    for (SiteIndex member : entry.members)
      for (std::string &kernel : kernelsOf(member))
        if (std::find(site.kernels.begin(), site.kernels.end(), kernel) == site.kernels.end())
          site.kernels.push_back(std::move(kernel));
    sites.push_back(std::move(site));
  }
  std::sort(sites.begin(), sites.end(), [](const profile::Site &a, const profile::Site &b) {
    return std::tie(a.file, a.line, a.column, a.callee, a.id) <
           std::tie(b.file, b.line, b.column, b.callee, b.id);
  });
  return sites;
}

} // namespace gpuinstr
