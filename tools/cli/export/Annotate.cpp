// gpuinstr annotate: the source with calls, bytes, time and findings beside each line.
// SPDX-License-Identifier: Apache-2.0
#include "export/Annotate.h"
#include "base/text/Glob.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "lookup/SourceFiles.h"
#include <map>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Site;

namespace {

struct LineFigures {
  uint64_t calls = 0, bytes = 0, ns = 0;
  std::vector<const Finding *> findings;
};
using FileFigures = std::map<uint32_t, LineFigures>;

std::map<std::string, FileFigures> figuresOf(const profile::Profile &profile) {
  std::map<std::string, FileFigures> files;
  SiteIndex sites(profile);
  for (const Site &site : profile.sites)
    if (site.line && site.calls) {
      LineFigures &line = files[site.file][site.line];
      line.calls += site.calls;
      line.bytes += site.bytes;
      line.ns += totalNs(site);
    }
  for (const Finding &finding : profile.findings)
    if (const Site *site = sites.shown(finding); site && site->line)
      files[site->file][site->line].findings.push_back(&finding);
  return files;
}

std::string margin(const LineFigures *line) {
  if (!line || !line->calls)
    return std::string(30, ' ');
  return padLeft(std::to_string(line->calls), 8) +
         padLeft(line->bytes ? bytesText(line->bytes) : "", 11) +
         padLeft(timeText(static_cast<double>(line->ns)), 11);
}

std::string noteOf(const Finding &finding) {
  std::string note = std::string(30, ' ') + "       ^ " + finding.pattern.text();
  if (finding.grade != profile::Grade::Proven)
    note += " (" + finding.grade.text() + ")";
  if (finding.suppressed)
    note += " (suppressed)";
  note += ": " + findingText(finding) + "\n";
  if (!finding.fix.empty())
    note += std::string(30, ' ') + "         fix: " + printable(finding.fix, 200) + "\n";
  return note;
}

/// Whether `line` is within `context` lines of one that has figures.
bool isNear(const FileFigures &figures, uint32_t line, uint32_t context) {
  auto next = figures.lower_bound(line > context ? line - context : 0);
  return next != figures.end() && next->first <= uint64_t(line) + context;
}

std::string annotateFile(const std::vector<std::string> &lines, const FileFigures &figures,
                         const AnnotateStyle &style) {
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
      out += std::string(30, ' ') + "    ...\n";
    skipped = false;
    std::string text = number <= lines.size() ? printable(lines[number - 1]) : "";
    out += margin(own ? &found->second : nullptr) + padLeft(std::to_string(number), 6) + " | " +
           text + "\n";
    if (own)
      for (const Finding *finding : found->second.findings)
        out += noteOf(*finding);
  }
  return out;
}

} // namespace

std::string annotate(const profile::Profile &profile, Sources &sources,
                     const AnnotateStyle &style) {
  std::string out;
  for (const auto &[file, figures] : figuresOf(profile)) {
    if (!style.only.empty() && !globMatchFile(style.only, file))
      continue;
    out += (out.empty() ? "== " : "\n== ") + printable(file) + "\n";
    out += padLeft("calls", 8) + padLeft("bytes", 11) + padLeft("host time", 11) + "  line\n";
    out += annotateFile(sources.lines(file), figures, style);
  }
  return out;
}

} // namespace gpuinstr::cli
