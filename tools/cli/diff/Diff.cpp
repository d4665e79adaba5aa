// Two profiles compared: sites and findings matched although lines moved.
// SPDX-License-Identifier: Apache-2.0
#include "diff/Diff.h"
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Profile;
using profile::Site;

namespace {

std::string baseName(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

std::string keyOf(const Site &site) {
  return site.kind.text() + '\n' + site.function + '\n' + site.callee + '\n' + site.variable +
         '\n' + baseName(site.file);
}

/// Base site of each site of the new profile.
using Matches = std::unordered_map<const Site *, const Site *>;

Matches matchSites(const Profile &base, const Profile &now) {
  SiteIndex index(base);
  Matches matches;
  std::unordered_map<const Site *, bool> taken;
  for (const Site &site : now.sites) {
    const Site *same = index[site.id];
    if (same && same->function == site.function && same->callee == site.callee &&
        baseName(same->file) == baseName(site.file)) {
      matches[&site] = same;
      taken[same] = true;
    }
  }
  // Ids fall back to places where two sites would share one: those change with the lines.
  std::map<std::string, std::vector<const Site *>> left;
  for (const Site &site : base.sites)
    if (!taken.count(&site))
      left[keyOf(site)].push_back(&site);
  std::vector<const Site *> rest;
  for (const Site &site : now.sites)
    if (!matches.count(&site))
      rest.push_back(&site);
  auto byLine = [](const Site *a, const Site *b) {
    return std::make_pair(a->line, a->column) < std::make_pair(b->line, b->column);
  };
  for (auto &[key, sites] : left)
    std::stable_sort(sites.begin(), sites.end(), byLine);
  std::stable_sort(rest.begin(), rest.end(), byLine);
  for (const Site *site : rest) {
    auto found = left.find(keyOf(*site));
    if (found == left.end() || found->second.empty())
      continue;
    matches[site] = found->second.front();
    found->second.erase(found->second.begin());
  }
  return matches;
}

bool isCompared(const Finding &finding) {
  return !finding.suppressed && finding.grade != profile::Grade::Information;
}

std::string keyOf(const Finding &finding, const std::string &site, const std::string &caller) {
  return finding.pattern.text() + '\n' + finding.grade.text() + '\n' + site + '\n' + caller + '\n' +
         finding.variable + '\n' + finding.error;
}

} // namespace

Diff compareProfiles(const Profile &base, const Profile &now) {
  Diff diff{base, now, {}, {}};
  Matches matches = matchSites(base, now);
  std::unordered_map<const Site *, bool> seen;
  SiteIndex index(now);
  for (const Site &site : now.sites) {
    auto found = matches.find(&site);
    const Site *old = found == matches.end() ? nullptr : found->second;
    seen[old] = true;
    if (site.calls || (old && old->calls))
      diff.sites.push_back({old, &site});
  }
  for (const Site &site : base.sites)
    if (!seen.count(&site) && site.calls)
      diff.sites.push_back({&site, nullptr});

  auto baseId = [&](const std::string &id) {
    auto found = matches.find(index[id]);
    return found == matches.end() ? "new " + id : found->second->id;
  };
  std::unordered_multimap<std::string, const Finding *> old;
  for (const Finding &finding : base.findings)
    if (isCompared(finding))
      old.emplace(keyOf(finding, finding.site, finding.caller), &finding);
  for (const Finding &finding : now.findings) {
    if (!isCompared(finding))
      continue;
    std::string caller = finding.caller.empty() ? "" : baseId(finding.caller);
    auto found = old.find(keyOf(finding, baseId(finding.site), caller));
    diff.findings.push_back({found == old.end() ? nullptr : found->second, &finding});
    if (found != old.end())
      old.erase(found);
  }
  for (const Finding &finding : base.findings) // in the profile's order
    for (auto [at, end] = old.equal_range(keyOf(finding, finding.site, finding.caller)); at != end;
         ++at)
      if (at->second == &finding)
        diff.findings.push_back({&finding, nullptr});
  return diff;
}

namespace {

/// What is told from a part of the calls is no difference.
bool countsDiffer(const Finding &base, const Finding &now) {
  if (base.counted || now.counted)
    return false;
  return base.count != now.count || base.bytes != now.bytes;
}

std::string findingLine(const char *head, const Finding &finding, const Site *site,
                        std::size_t kindWidth) {
  return padRight(head, 8) + " " + padRight(kindText(finding), kindWidth) + "  " + placeText(site) +
         "  " + findingText(finding) + "\n";
}

/// One time of a site: `of` gives it, `doubt` how far the difference of two may be off.
struct TimeColumn {
  const char *title;
  double (*of)(const Site &);
  double (*doubt)(const Site &);
};
const TimeColumn HostTime = {"HOST TIME", [](const Site &s) { return double(totalNs(s)); },
                             [](const Site &) { return 0.0; }};
const TimeColumn DeviceTime = {"GPU TIME", [](const Site &s) { return double(s.device.total_ns); },
                               [](const Site &s) { return double(s.device.ci_ns); }};

std::string siteTable(const Diff &diff, const TimeColumn &column, std::size_t rows,
                      double noiseNs) {
  auto time = [&](const Site *site) { return site ? column.of(*site) : 0.0; };
  auto doubt = [&](const Site *site) { return site ? column.doubt(*site) : 0.0; };
  auto difference = [&](const SitePair *pair) {
    return std::fabs(time(pair->now) - time(pair->base));
  };
  std::vector<const SitePair *> order;
  for (const SitePair &pair : diff.sites)
    if (double by = difference(&pair);
        by > 0 && by >= noiseNs && by >= std::hypot(doubt(pair.base), doubt(pair.now)))
      order.push_back(&pair);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto *a, auto *b) { return difference(a) > difference(b); });
  if (order.empty())
    return "";
  std::string out = padRight(column.title, 10) + padLeft("Base", 9) + padLeft("New", 10) +
                    padLeft("Change", 11) + padLeft("Calls", 16) + "  Name  Where\n";
  for (std::size_t i = 0; i < order.size() && i < rows; ++i) {
    const Site *old = order[i]->base, *now = order[i]->now, *shown = now ? now : old;
    char change[40] = "new";
    if (!now)
      std::snprintf(change, sizeof change, "gone");
    else if (old && time(old) > 0)
      std::snprintf(change, sizeof change, "%+.1f %%", 100 * (time(now) / time(old) - 1));
    std::string calls =
        std::to_string(old ? old->calls : 0) + " > " + std::to_string(now ? now->calls : 0);
    out += padLeft(timeText(time(old)), 19) + padLeft(timeText(time(now)), 10) +
           padLeft(change, 11) + padLeft(calls, 16) + "  " +
           shortenName(printable(shown->callee), 30) + "  " + placeText(shown) + "\n";
  }
  if (order.size() > rows)
    out += " ... " + std::to_string(order.size() - rows) + " more (--top)\n";
  return out;
}

} // namespace

std::string diffText(const Diff &diff, std::size_t rows, double noiseNs) {
  SiteIndex before(diff.base), after(diff.now);
  std::string fresh, gone, changed;
  std::size_t width = 0;
  auto differs = [](const FindingPair &pair) {
    return !pair.base || !pair.now || countsDiffer(*pair.base, *pair.now);
  };
  for (const FindingPair &pair : diff.findings)
    if (differs(pair))
      width = std::max(width, displayWidth(kindText(pair.now ? *pair.now : *pair.base)));
  for (const FindingPair &pair : diff.findings) {
    if (!pair.base)
      fresh += findingLine("NEW", *pair.now, after.shown(*pair.now), width);
    else if (!pair.now)
      gone += findingLine("GONE", *pair.base, before.shown(*pair.base), width);
    else if (differs(pair))
      changed += findingLine("CHANGED", *pair.now, after.shown(*pair.now), width) +
                 std::string(9, ' ') + "was " + findingText(*pair.base) + "\n";
  }
  std::string out = fresh + changed + gone;
  if (out.empty())
    out = "No finding is new, gone or changed.\n";
  // The simulator's kernels run on the host: its times say nothing about the program.
  auto simulated = [](const Profile &profile) {
    return std::any_of(profile.devices.begin(), profile.devices.end(),
                       [](const profile::Device &device) { return device.simulated; });
  };
  if (simulated(diff.base) || simulated(diff.now))
    return out;
  return out + siteTable(diff, HostTime, rows, noiseNs) +
         siteTable(diff, DeviceTime, rows, noiseNs);
}

} // namespace gpuinstr::cli
