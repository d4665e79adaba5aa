// What the HTML page's script reads, as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "html/HtmlPage.h"
#include "lookup/FindingsPage.h"
#include "lookup/SiteIndex.h"
#include "profile/CallFigures.h"
#include "profile/DeviceRows.h"
#include "profile/Json.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

namespace gpuinstr::cli {

using Json = nlohmann::json;
using profile::Finding;
using profile::FindingClass;
using profile::Profile;
using profile::Site;
using profile::Spread;

Json texts(const std::vector<std::string> &list) {
  Json out = Json::array();
  for (const std::string &text : list)
    out.push_back(printable(text));
  return out;
}

namespace {

constexpr uint32_t LinesAround = 6;
constexpr std::size_t MostSourceBytes = 8u << 20;

const char *className(FindingClass cls) {
  switch (cls) {
  case FindingClass::Bug:
    return "bug";
  case FindingClass::Waste:
    return "waste";
  default:
    return "information";
  }
}

class Writer {
public:
  Writer(const Profile &profile, Sources &sources) : P(profile), Source(sources), Index(profile) {
    for (std::size_t i = 0; i < profile.sites.size(); ++i)
      Place.emplace(&profile.sites[i], int(i));
    countShares();
  }

  Json write() {
    Json out{{"version", GPUINSTR_VERSION},
             {"process", process()},
             {"gpu", gpu()},
             {"idle", idle()},
             {"sites", Json::array()},
             {"findings", Json::array()},
             {"devices", devices()},
             {"holders", Json::array()},
             {"allocations", Json::array()},
             {"coverage", coverage()}};
    out["result"] = result();
    out["waste_ns"] = wasteNs();
    for (const Site &one : P.sites)
      out["sites"].push_back(site(one));
    for (const Finding *one : findings())
      out["findings"].push_back(finding(*one));
    for (const profile::Holder &one : P.peak_holders)
      out["holders"].push_back(holder(one));
    for (const profile::Allocations &one : P.allocations)
      out["allocations"].push_back(allocations(one));
    out["phases"] = Json::array();
    for (const profile::Phase &one : P.phases)
      out["phases"].push_back(phase(one));
    out["suppressions"] = Json::array();
    for (const profile::Suppression &one : P.suppressions)
      out["suppressions"].push_back(
          {{"rule", printable(one.rule)}, {"origin", printable(one.origin)}, {"used", one.used}});
    out["merged"] = merged();
    out["explain"] = Json::object();
    for (const Finding &one : P.findings)
      out["explain"][one.pattern.text()] = explanation(one.pattern.text());
    out["source"] = source();
    return out;
  }

private:
  int at(const Site *site) const {
    auto found = Place.find(site);
    return found == Place.end() ? -1 : found->second;
  }
  int at(const std::string &id) const { return at(Index[id]); }

  Json process() const {
    const profile::Process &p = P.process;
    return {{"pid", p.pid},
            {"exe", printable(p.exe)},
            {"args", texts(p.args)},
            {"host", printable(p.host)},
            {"rank", p.rank},
            {"wall_ns", p.wall_ns},
            {"ended", printable(p.ended)},
            {"startup_ns", p.startup_ns},
            {"own_cost_percent", p.own_cost_percent},
            {"first_site", p.first_site},
            {"once_ns", p.startup.total_ns},
            {"context_ns", p.startup.context_ns}};
  }

  /// The report's own lines: they say what is a bound, and what is not known.
  Json gpu() const {
    Json out = Json::array();
    report::ReportStyle style;
    report::View view(P, style);
    for (const report::Lines &lines : {report::gpuLines(view), report::untimedLines(view)})
      for (const report::Line &line : lines)
        out.push_back(line.text);
    return out;
  }

  /// "at least 32.0 % of the run: ...", "" nothing is known.
  std::string idle() const {
    report::ReportStyle style;
    style.columns = 10000;
    std::string out;
    for (const report::Line &line : report::idleLines(report::View(P, style)))
      out += (out.empty() ? "" : " ") + line.text;
    return out.rfind("IDLE", 0) == 0
               ? out.substr(std::min(out.find_first_not_of(' ', 4), out.size()))
               : out;
  }

  Json devices() const {
    Json out = Json::array();
    for (const profile::Device &d : P.devices)
      out.push_back({{"ordinal", d.ordinal},
                     {"name", printable(d.name)},
                     {"memory_bytes", d.memory_bytes},
                     {"peak_bytes", d.peak_bytes},
                     {"peak_at_ns", d.peak_at_ns},
                     {"simulated", d.simulated}});
    return out;
  }

  /// Time (%) as in the report's tables, by row and by site.
  void countShares() {
    for (bool transfers : {false, true}) {
      std::vector<profile::DeviceRowAt> rows = profile::deviceRows(P, transfers);
      std::vector<unsigned> shares = profile::timeShares(rows);
      for (std::size_t i = 0; i < rows.size(); ++i)
        RowShares[rows[i].device] = shares[i];
    }
    std::vector<profile::CallFigures> figures;
    std::vector<const Site *> sites = profile::timedSites(P);
    for (const Site *site : sites)
      figures.push_back(profile::callFigures(*site));
    std::vector<unsigned> shares = profile::timeShares(figures);
    for (std::size_t i = 0; i < sites.size(); ++i)
      SiteShares[sites[i]] = shares[i];
  }

  Json device(const profile::DeviceTime &time) const {
    if (!time.samples && !time.untimed)
      return nullptr;
    auto shareOf = [this](const profile::DeviceRow &row) {
      auto found = RowShares.find(&row);
      return found == RowShares.end() ? 0u : found->second;
    };
    Json rows = Json::array();
    for (const profile::DeviceRow &row : time.rows)
      rows.push_back({{"name", printable(row.name)},
                      {"share", shareOf(row)},
                      {"operation", printable(row.operation.text())},
                      {"memory", row.memory.text()},
                      {"samples", row.samples},
                      {"operations", row.operations},
                      {"operations_estimated", row.operations_estimated},
                      {"total_ns", row.total_ns},
                      {"ci_ns", row.ci_ns},
                      {"max_ns", row.max_ns},
                      {"bytes", row.bytes}});
    return {{"total_ns", time.total_ns},
            {"ci_ns", time.ci_ns},
            {"samples", time.samples},
            {"operations", time.operations},
            {"untimed", time.untimed},
            {"method", time.method.text()},
            {"rows", rows}};
  }

  Json site(const Site &s) const {
    Json out{{"id", s.id},
             {"kind", printable(s.kind.text())},
             {"file", printable(s.file)},
             {"line", s.line},
             {"col", s.column},
             {"function", printable(s.function)},
             {"callee", printable(s.callee)},
             {"variable", printable(s.variable)},
             {"calls", s.calls},
             {"calls_estimated", s.calls_estimated}};
    for (const std::string &id : s.via)
      out["via"].push_back(at(id));
    if (!s.calls)
      return out;
    profile::CallFigures f = profile::callFigures(s);
    auto share = SiteShares.find(&s);
    Json run{{"args", texts(s.arguments)},
             {"type", printable(s.type)},
             {"failed", s.failed},
             {"bytes", s.bytes},
             {"host", f.total_ns},
             {"share", share == SiteShares.end() ? 0u : share->second},
             {"first", s.host.first_ns},
             {"mean", f.mean_ns},
             {"median", f.median_ns},
             {"min", f.min_ns},
             {"max", f.max_ns},
             {"device", device(s.device)},
             {"kernels", texts(s.kernels)}};
    out.update(run);
    return out;
  }

  /// Of a holder or a row of allocations.
  template <class Row> Json memoryOf(const Row &row) const {
    const Site *own = Index[row.site], *caller = Index[row.caller];
    bool named = caller && !caller->variable.empty() && caller->variable == row.variable;
    return {{"site", at(named || !own ? caller : own)},
            {"variable", printable(row.variable)},
            {"memory", row.memory.text()},
            {"bytes", row.bytes},
            {"count", row.count}};
  }
  Json holder(const profile::Holder &h) const { return memoryOf(h); }
  Json allocations(const profile::Allocations &a) const {
    Json out = memoryOf(a);
    out["peak"] = a.peak_bytes;
    out["live"] = a.live_bytes;
    return out;
  }

  /// What is not known is null.
  static Json phase(const profile::Phase &one) {
    return {{"name", printable(one.name)},
            {"instances", one.instances},
            {"estimated", one.looked_at < one.instances},
            {"total_ns", one.total_ns},
            {"calls_ns", one.calls_ns},
            {"device_ns", one.device_known ? Json(one.device_ns) : Json()},
            {"idle_ns", one.idle_known ? Json(one.idle_ns) : Json()}};
  }

  /// Bugs, waste, likely, advice, the rest; in the report's order within.
  std::vector<const Finding *> findings() const {
    std::vector<const Finding *> list;
    for (const Finding &one : P.findings)
      list.push_back(&one);
    auto rank = [](const Finding &f) {
      auto grade = std::min(f.grade.value(), profile::Grade::Information);
      return std::make_tuple(f.suppressed, grade, f.pattern.value(), ~f.bytes);
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](auto *a, auto *b) { return rank(*a) < rank(*b); });
    return list;
  }

  std::string ranksText(const Finding &finding) const {
    for (const profile::MergedFinding &row : P.merged.findings)
      if (row.finding < P.findings.size() && &P.findings[row.finding] == &finding)
        return row.ranks == P.merged.processes
                   ? "on all " + std::to_string(row.ranks) + " ranks"
                   : (row.ranks == 1 ? "on rank " : "on ranks ") + printable(row.rank_list, 200);
    return "";
  }

  Json finding(const Finding &f) const {
    Json out{{"pattern", printable(f.pattern.text())},
             {"class", className(profile::findingKind(f.pattern).cls)},
             {"grade", printable(f.grade.text())},
             {"site", at(f.site)},
             {"caller", at(f.caller)},
             {"related", at(f.related)},
             {"shown", at(Index.shown(f))},
             {"variable", printable(f.variable)},
             {"type", printable(f.type)},
             {"memory", f.memory.text()},
             {"count", f.count},
             {"estimated", f.counted != 0},
             {"bytes", f.bytes},
             {"elements", f.elements},
             {"cost_ns", f.cost_ns},
             {"direction", printable(f.direction.text())},
             {"source", printable(f.source)},
             {"error", printable(f.error)},
             {"message", printable(f.message)},
             {"fix", printable(f.fix)},
             {"suppressed", f.suppressed},
             {"suppression", printable(f.suppression)},
             {"ranks", ranksText(f)},
             {"holders", Json::array()}};
    for (const profile::Holder &one : f.holders)
      out["holders"].push_back(holder(one));
    return out;
  }

  Json coverage() const {
    const profile::Coverage &c = P.coverage;
    Json images = Json::array();
    for (const profile::Image &image : c.images)
      images.push_back({{"path", printable(image.path)},
                        {"instrumented", image.instrumented},
                        {"sites", image.sites},
                        {"sites_run", image.sites_run},
                        {"unseen_calls", texts(image.unseen_calls)}});
    return {{"images", images},
            {"vendor", texts(c.vendor)},
            {"addresses_taken", texts(c.addresses_taken)},
            {"notes", texts(c.notes)},
            {"sites", c.sites},
            {"sites_run", c.sites_run},
            {"audit",
             {{"eligible", c.audit.eligible},
              {"eligible_bytes", c.audit.eligible_bytes},
              {"verified", c.audit.verified},
              {"verified_bytes", c.audit.verified_bytes},
              {"transfers", c.audit.transfers},
              {"transfer_bytes", c.audit.transfer_bytes},
              {"transfer_ns", c.audit.transfer_ns},
              {"judged_bytes", c.audit.judged_bytes},
              {"judged_ns", c.audit.judged_ns}}}};
  }

  static Json spread(const Spread &s) {
    return {{"min", s.min},           {"avg", s.avg},
            {"max", s.max},           {"min_rank", s.min_rank},
            {"max_rank", s.max_rank}, {"imbalance_percent", s.imbalance_percent}};
  }

  Json merged() const {
    const profile::Merged &m = P.merged;
    if (!m.processes)
      return nullptr;
    Json sites = Json::array();
    for (const profile::MergedSite &row : m.sites)
      sites.push_back(
          {{"site", at(row.site)}, {"ranks", row.ranks}, {"host_ns", spread(row.host_ns)}});
    return {{"processes", m.processes},           {"hosts", m.hosts},
            {"wall_ns", spread(m.wall_ns)},       {"host_ns", spread(m.host_ns)},
            {"peak_bytes", spread(m.peak_bytes)}, {"sites", sites}};
  }

  uint64_t wasteNs() const { // a site's time is lost once, whatever is found there
    std::map<std::string_view, uint64_t> most;
    for (const Finding &f : P.findings)
      if (counts(f) && profile::findingKind(f.pattern).cls == FindingClass::Waste)
        most[f.site] = std::max(most[f.site], f.cost_ns);
    uint64_t sum = 0;
    for (auto &entry : most)
      sum += entry.second;
    return sum;
  }

  std::string result() const {
    report::FindingList bugs;
    uint64_t waste = 0;
    for (const Finding &f : P.findings)
      if (counts(f) && profile::findingKind(f.pattern).cls == FindingClass::Bug)
        bugs.push_back(&f);
      else
        waste += counts(f);
    std::string text = bugs.empty() ? "" : plural(report::bugsIn(bugs), "bug", "bugs");
    if (waste)
      text += (text.empty() ? "" : ", ") + std::to_string(waste) + " waste";
    return text.empty() ? report::verdictText(P) : text;
  }

  /// {file: {line: text}} of the lines around each site.
  Json source() const {
    Json out = Json::object();
    std::size_t bytes = 0;
    for (const Site &s : P.sites) {
      const std::vector<std::string> &lines = Source.lines(s.file);
      if (!s.line || s.line > lines.size() || bytes > MostSourceBytes)
        continue;
      Json &file = out[printable(s.file)];
      uint32_t last = std::min<uint32_t>(s.line + LinesAround, uint32_t(lines.size()));
      for (uint32_t n = s.line > LinesAround ? s.line - LinesAround : 1; n <= last; ++n) {
        std::string key = std::to_string(n);
        if (file.contains(key))
          continue;
        std::string text;
        for (char c : lines[n - 1])
          text += c == '\t' ? std::string(4, ' ') : std::string(1, c);
        file[key] = printable(text, 400);
        bytes += text.size();
      }
    }
    return out;
  }

  const Profile &P;
  Sources &Source;
  SiteIndex Index;
  std::map<const Site *, int> Place;
  std::map<const Site *, unsigned> SiteShares; ///< tenths of a per cent
  std::map<const profile::DeviceRow *, unsigned> RowShares;
};

} // namespace

Json htmlData(const Profile &profile, Sources &sources, const HtmlTimeline *timeline) {
  Json out = Writer(profile, sources).write();
  out["timeline"] = nullptr;
  if (timeline) {
    std::map<uint64_t, int> sites;
    for (std::size_t i = 0; i < profile.sites.size(); ++i)
      sites.emplace(std::strtoull(profile.sites[i].id.c_str(), nullptr, 16), int(i));
    out["timeline"] = timelineData(*timeline, sites);
  }
  return out;
}

} // namespace gpuinstr::cli
