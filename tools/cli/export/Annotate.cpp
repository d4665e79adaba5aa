// gpuinstr annotate: the source with calls, bytes, time and findings beside each line.
// SPDX-License-Identifier: Apache-2.0
#include "export/Annotate.h"
#include "base/text/Glob.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "lookup/SourceFiles.h"
#include <cmath>
#include <cstdio>
#include <map>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Site;

namespace {

/// Time on the device of a line's calls.
struct DeviceFigures {
  uint64_t ns = 0, timed = 0, operations = 0;
  uint64_t untimed = 0; ///< operations that no figure knows
  double variance = 0;  ///< of what is estimated, ns^2

  void add(const profile::DeviceTime &time) {
    ns += time.total_ns;
    timed += time.samples;
    operations += time.operations;
    untimed += time.untimed;
    variance += double(time.ci_ns) * double(time.ci_ns);
  }
  bool any() const { return timed || untimed; }
  bool estimated() const { return timed && timed < operations; }
};

struct Told {
  const Finding *finding;
  std::string callers;
};

struct LineFigures {
  uint64_t calls = 0, bytes = 0, ns = 0;
  DeviceFigures device;
  std::vector<Told> findings;
  std::map<std::string, uint64_t> inside; ///< calls by the way to them, of wrappers on this line
};
using FileFigures = std::map<uint32_t, LineFigures>;

/// What the text has beside its lines.
struct Columns {
  bool device = false; ///< some line has time on the device
  bool estimated = false, bound = false;

  std::size_t width() const { return device ? 51 : 30; }
  std::string empty() const { return std::string(width(), ' '); }
};

/// "cudaMemcpy via buffer.h:31 Buffer<float>::upload"; "" where the line has the call itself.
std::string wayText(const SiteIndex &sites, const Site &site) {
  std::string way;
  for (const std::string &id : site.via)
    if (const Site *between = sites[id])
      way +=
          (way.empty() ? " via " : ", ") + placeText(between) + " " + printable(between->function);
  return way.empty() ? way : printable(site.callee) + way;
}

/// "called from a.cu:7 f, b.cu:9 main", the nearest first; "" where the line says it.
std::string callersText(const SiteIndex &sites, const Finding &finding) {
  constexpr unsigned Most = 4; // no call has more; a damaged profile might go round in circles
  std::string text;
  const Site *shown = sites.shown(finding), *caller = sites[finding.caller];
  if (shown && shown == caller)
    caller = sites[caller->caller];
  for (unsigned i = 0; caller && i < Most; ++i, caller = sites[caller->caller])
    text += (text.empty() ? "called from " : ", ") + placeText(caller) +
            (caller->function.empty() ? "" : " " + printable(caller->function));
  return text;
}

/// Tabs as wide as editors show them: the text stands in columns.
std::string untabbed(const std::string &line) {
  constexpr std::size_t Every = 4;
  std::string out;
  for (char c : line)
    out.append(c == '\t' ? Every - out.size() % Every : 1, c == '\t' ? ' ' : c);
  return out;
}

std::map<std::string, FileFigures> figuresOf(const profile::Profile &profile, Columns &columns) {
  std::map<std::string, FileFigures> files;
  SiteIndex sites(profile);
  for (const Site &site : profile.sites)
    if (site.line && site.calls) {
      LineFigures &line = files[site.file][site.line];
      line.calls += site.calls;
      line.bytes += site.bytes;
      line.ns += totalNs(site);
      line.device.add(site.device);
      if (std::string way = wayText(sites, site); !way.empty())
        line.inside[way] += site.calls;
      columns.device |= line.device.any();
    }
  for (const Finding &finding : profile.findings)
    if (const Site *site = sites.shown(finding); site && site->line)
      files[site->file][site->line].findings.push_back({&finding, callersText(sites, finding)});
  return files;
}

/// "~582 ms +-1.2 %".
std::string deviceText(const DeviceFigures &device, Columns &columns) {
  if (!device.timed)
    return device.untimed ? padLeft("not timed", 12) + std::string(9, ' ') : std::string(21, ' ');
  std::string mark = device.untimed ? ">=" : "";
  columns.bound |= device.untimed != 0;
  columns.estimated |= device.estimated();
  std::string out =
      padLeft(mark + (device.estimated() ? "~" : "") + timeText(double(device.ns)), 12);
  char doubt[24] = "";
  double part = device.ns ? std::sqrt(device.variance) / double(device.ns) : 0;
  if (part >= 1)
    std::snprintf(doubt, sizeof doubt, " +->100 %%");
  else if (part > 0)
    std::snprintf(doubt, sizeof doubt, " +-%.1f %%", 100 * part);
  return out + padRight(doubt, 9);
}

std::string margin(const LineFigures *line, Columns &columns) {
  if (!line || !line->calls)
    return columns.empty();
  return padLeft(std::to_string(line->calls), 8) +
         padLeft(line->bytes ? bytesText(line->bytes) : "", 11) +
         padLeft(timeText(static_cast<double>(line->ns)), 11) +
         (columns.device ? deviceText(line->device, columns) : "");
}

std::string noteOf(const Told &told, const Columns &columns) {
  const Finding &finding = *told.finding;
  std::string note = columns.empty() + "       ^ " + finding.pattern.text();
  if (finding.grade != profile::Grade::Proven)
    note += " (" + finding.grade.text() + ")";
  if (finding.suppressed)
    note += " (suppressed)";
  note += ": " + findingText(finding) + "\n";
  if (!told.callers.empty())
    note += columns.empty() + "         " + told.callers + "\n";
  if (!finding.fix.empty())
    note += columns.empty() + "         fix: " + printable(finding.fix, 200) + "\n";
  return note;
}

std::string insideOf(const LineFigures &line, const Columns &columns) {
  std::string notes;
  for (const auto &[way, calls] : line.inside)
    notes += columns.empty() + "       > " + way +
             (calls == line.calls ? "" : ", calls: " + std::to_string(calls)) + "\n";
  return notes;
}

/// Whether `line` is within `context` lines of one that has figures.
bool isNear(const FileFigures &figures, uint32_t line, uint32_t context) {
  auto next = figures.lower_bound(line > context ? line - context : 0);
  return next != figures.end() && next->first <= uint64_t(line) + context;
}

std::string annotateFile(const std::vector<std::string> &lines, const FileFigures &figures,
                         const AnnotateStyle &style, Columns &columns) {
  std::string out;
  bool skipped = false;
  uint32_t last =
      std::max<uint32_t>(uint32_t(lines.size()), figures.empty() ? 0 : figures.rbegin()->first);
  if (lines.empty()) // no source here: only the lines that have something to say
    out += "  (source not found: --source DIR)\n";
  for (uint32_t number = 1; number <= last; ++number) {
    auto found = figures.find(number);
    bool own = found != figures.end();
    if (!own && (lines.empty() || number > lines.size() ||
                 (!style.whole && !isNear(figures, number, style.context)))) {
      skipped = true;
      continue;
    }
    if (skipped && !lines.empty())
      out += columns.empty() + "    ...\n";
    skipped = false;
    std::string text = number <= lines.size() ? printable(untabbed(lines[number - 1])) : "";
    out += margin(own ? &found->second : nullptr, columns) + padLeft(std::to_string(number), 6) +
           " | " + text + "\n";
    if (!own)
      continue;
    out += insideOf(found->second, columns);
    for (const Told &told : found->second.findings)
      out += noteOf(told, columns);
  }
  return out;
}

} // namespace

std::string annotate(const profile::Profile &profile, Sources &sources,
                     const AnnotateStyle &style) {
  std::string out;
  Columns columns;
  for (const auto &[file, figures] : figuresOf(profile, columns)) {
    if (!style.only.empty() && !globMatchFile(style.only, file))
      continue;
    out += (out.empty() ? "== " : "\n== ") + printable(file) + "\n";
    out += padLeft("calls", 8) + padLeft("bytes", 11) + padLeft("host time", 11) +
           (columns.device ? padRight(padLeft("device time", 12), 21) : "") + "  line\n";
    out += annotateFile(sources.lines(file), figures, style, columns);
  }
  if (columns.estimated)
    out += "\n~ an estimate from the operations that were timed, +- half of its 95 % interval; "
           "gpu_time=exact times all\n";
  if (columns.bound)
    out += std::string(columns.estimated ? "" : "\n") +
           ">= at least: some of the line's work on the device was not timed\n";
  return out;
}

} // namespace gpuinstr::cli
