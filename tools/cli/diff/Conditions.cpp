// What --fail-on says, and what breaks it.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "diff/Diff.h"
#include "io/Failure.h"
#include "lookup/SiteIndex.h"
#include "profile/kinds/FindingKind.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace gpuinstr::cli {

using profile::Finding;
using profile::FindingClass;
using profile::Profile;
using profile::Site;

namespace {

struct Unit {
  const char *name;
  double factor;
};
constexpr Unit Units[] = {{"", 1},   {"B", 1},    {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
                          {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

struct SiteField {
  const char *name;
  bool time;
  double (*get)(const Site &);
};
const SiteField SiteFields[] = {
    {"host", true, [](const Site &s) { return static_cast<double>(totalNs(s)); }},
    {"device", true, [](const Site &s) { return static_cast<double>(s.device.total_ns); }},
    {"avg", false,
     [](const Site &s) {
       return s.calls ? static_cast<double>(totalNs(s)) / static_cast<double>(s.calls) : 0;
     }},
    {"calls", false, [](const Site &s) { return static_cast<double>(s.calls); }},
    {"failed", false, [](const Site &s) { return static_cast<double>(s.failed); }},
    {"bytes", false, [](const Site &s) { return static_cast<double>(s.bytes); }},
};

const char *const ProcessFields[] = {"wall", "host", "peak"};
const char *const FindingFields[] = {"count", "bytes", "cost", "new"};

template <class List> bool contains(const List &list, const std::string &name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

const SiteField *siteField(const std::string &name) {
  for (const SiteField &field : SiteFields)
    if (name == field.name)
      return &field;
  return nullptr;
}

[[noreturn]] void wrong(const Condition &condition, const std::string &why) {
  throw Failure("--fail-on '" + condition.text + "': " + why);
}

void checkNames(Condition &condition) {
  const std::string &subject = condition.subject, &field = condition.field;
  if (subject == "site") {
    if (!siteField(field))
      wrong(condition, "site has host, device, avg, calls, failed and bytes");
  } else if (subject == "process") {
    if (!contains(ProcessFields, field))
      wrong(condition, "process has wall, host and peak");
  } else {
    static const char *const classes[] = {"bugs", "waste", "proven", "likely"};
    if (profile::fromText<profile::Pattern>(subject) == profile::Pattern::Unknown &&
        !contains(classes, subject))
      wrong(condition,
            "'" + subject + "' is no finding, nor bugs, waste, proven, likely, site or process");
    if (field.empty())
      condition.field = "count";
    else if (!contains(FindingFields, field))
      wrong(condition, "a finding has count, bytes, cost and new");
  }
}

void parseValue(Condition &condition, std::string value) {
  condition.relative = !value.empty() && value[0] == '+';
  value.erase(0, condition.relative);
  char *end = nullptr;
  condition.value = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || !std::isfinite(condition.value) || condition.value < 0)
    wrong(condition, "a number is missing behind >");
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size()
                                                                 : unit.find_first_not_of(' '));
  if (unit == "%") {
    condition.percent = true;
    if (!condition.relative)
      wrong(condition, "a percentage needs a +: it is against BASE");
    return;
  }
  for (const Unit &known : Units)
    if (unit == known.name) {
      condition.value *= known.factor;
      return;
    }
  wrong(condition, "unknown unit '" + unit + "' (B kB MB GB ns us ms s %)");
}

Condition parseOne(std::string_view text) {
  Condition condition;
  condition.text = std::string(text);
  std::size_t sign = text.find('>');
  if (sign == std::string_view::npos || sign == 0)
    wrong(condition, "expected NAME[.FIELD]>VALUE or >+VALUE[%]");
  std::string name(text.substr(0, sign));
  name.erase(name.find_last_not_of(' ') + 1);
  std::size_t dot = name.find('.');
  condition.subject = name.substr(0, dot);
  condition.field = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::string_view rest = text.substr(sign + 1);
  rest = rest.substr(0, rest.find_last_not_of(' ') + 1);
  condition.orEqual = !rest.empty() && rest[0] == '=';
  rest.remove_prefix(condition.orEqual);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  checkNames(condition);
  parseValue(condition, std::string(rest));
  return condition;
}

bool breaks(const Condition &condition, double base, double now) {
  double limit = condition.value;
  if (condition.percent)
    limit = base * (1 + condition.value / 100);
  else if (condition.relative)
    limit = base + condition.value;
  return condition.orEqual ? now >= limit && (!condition.relative || now > base) : now > limit;
}

bool isSubject(const Finding &finding, const std::string &subject) {
  FindingClass cls = profile::findingKind(finding.pattern).cls;
  if (subject == "likely")
    return finding.grade == profile::Grade::Likely;
  // What is merely likely never fails a run unless asked for by that name; advice is asked for by
  // its id.
  if (finding.grade == profile::Grade::Likely)
    return false;
  if (subject == finding.pattern.text())
    return true;
  bool proven = finding.grade == profile::Grade::Proven;
  return proven && ((subject == "bugs" && cls == FindingClass::Bug) ||
                    (subject == "waste" && cls == FindingClass::Waste) ||
                    (subject == "proven" && counts(finding)));
}

double findingFigure(const Finding *finding, const std::string &field) {
  if (!finding)
    return 0;
  uint64_t value = field == "bytes"  ? finding->bytes
                   : field == "cost" ? finding->cost_ns
                                     : finding->count;
  return static_cast<double>(value);
}

std::vector<std::string> ofFindings(const Diff &diff, const Condition &condition) {
  double base = 0, now = 0;
  std::vector<std::string> lines;
  SiteIndex sites(diff.now);
  bool fresh = condition.field == "new";
  for (const FindingPair &pair : diff.findings) {
    const Finding &one = pair.now ? *pair.now : *pair.base;
    if (!isSubject(one, condition.subject))
      continue;
    double before = fresh ? 0 : findingFigure(pair.base, condition.field);
    double after =
        fresh ? double(pair.now && !pair.base) : findingFigure(pair.now, condition.field);
    // A count that is told from a part of the calls is no difference to another.
    bool estimates = pair.base && pair.now && (pair.base->counted || pair.now->counted);
    if (estimates && condition.relative && condition.field != "cost")
      after = before;
    base += before;
    now += after;
    if (pair.now && (condition.relative ? after > before : after > 0))
      lines.push_back(one.pattern.text() + " " + placeText(sites.shown(one)) + "  " +
                      findingText(one));
  }
  if (!breaks(condition, base, now))
    lines.clear();
  else if (lines.empty())
    lines.push_back(condition.subject + " in all");
  return lines;
}

bool holdsDeviceTime(const Profile &profile) {
  return std::any_of(profile.sites.begin(), profile.sites.end(),
                     [](const Site &site) { return site.device.samples > 0; });
}

/// How far the difference of two estimates may be off: what is less is no difference.
double doubtNs(const Site &base, const Site &now) {
  return std::hypot(static_cast<double>(base.device.ci_ns), static_cast<double>(now.device.ci_ns));
}

std::vector<std::string> ofSites(const Diff &diff, const Condition &condition, double noiseNs) {
  const SiteField &field = *siteField(condition.field);
  bool device = condition.field == "device";
  if (device && !(holdsDeviceTime(diff.now) && (!condition.relative || holdsDeviceTime(diff.base))))
    wrong(condition, "no device time in these profiles: run with gpu_time=sampled or exact");
  std::vector<std::string> lines;
  for (const SitePair &pair : diff.sites) {
    if (!pair.now || (condition.percent && !pair.base))
      continue; // a new site has nothing to have grown from
    if (device && condition.relative && pair.base && !pair.base->device.samples)
      continue; // nor has one that was never timed
    double base = pair.base ? field.get(*pair.base) : 0, now = field.get(*pair.now);
    double noise =
        device && pair.base ? std::max(noiseNs, doubtNs(*pair.base, *pair.now)) : noiseNs;
    if (condition.relative && field.time && now - base < noise)
      continue;
    if (!breaks(condition, base, now))
      continue;
    auto text = [&](double value) {
      return field.time || condition.field == "avg" ? timeText(value)
             : condition.field == "bytes"           ? bytesText(static_cast<uint64_t>(value))
                                                    : std::to_string(static_cast<uint64_t>(value));
    };
    lines.push_back(printable(pair.now->callee, 40) + " " + placeText(pair.now) + "  " +
                    text(base) + " > " + text(now));
  }
  return lines;
}

double processFigure(const Profile &profile, const std::string &field) {
  uint64_t value = 0;
  if (field == "wall")
    return static_cast<double>(profile.process.wall_ns);
  if (field == "peak")
    for (const profile::Device &device : profile.devices)
      value = std::max(value, device.peak_bytes);
  else
    for (const Site &site : profile.sites)
      value += totalNs(site);
  return static_cast<double>(value);
}

} // namespace

std::vector<Condition> parseConditions(std::string_view text) {
  std::vector<Condition> conditions;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (!one.empty())
      conditions.push_back(parseOne(one));
  }
  return conditions;
}

std::vector<std::string> violations(const Diff &diff, const Condition &condition, double noiseNs) {
  if (condition.subject == "site")
    return ofSites(diff, condition, noiseNs);
  if (condition.subject != "process")
    return ofFindings(diff, condition);
  double base = processFigure(diff.base, condition.field);
  double now = processFigure(diff.now, condition.field);
  if (!breaks(condition, base, now))
    return {};
  bool bytes = condition.field == "peak";
  auto text = [&](double value) {
    return bytes ? bytesText(static_cast<uint64_t>(value)) : timeText(value);
  };
  return {"process." + condition.field + "  " + text(base) + " > " + text(now)};
}

} // namespace gpuinstr::cli
