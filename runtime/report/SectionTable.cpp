// Every section of the text report, in its order. A new section is its file in sections/, its
// declaration in Sections.h and a row here.
// SPDX-License-Identifier: Apache-2.0
#include "report/SectionTable.h"
#include <type_traits>

namespace gpuinstr::report {

namespace {

// When a section is shown.
bool always(const Report &) { return true; }
bool unlessQuiet(const Report &report) { return !report.quiet; }
bool whenQuiet(const Report &report) { return report.quiet; }
bool verbose(const Report &report) { return report.view.style.verbose; }
bool verboseOrDear(const Report &report) { return verbose(report) || !report.found.dear.empty(); }
/// Some line tells where the time went.
bool unlessGpuSaysIt(const Report &report) {
  return !report.quiet || (gpuLines(report.view).empty() && untimedLines(report.view).empty());
}

// How a section's functions yield its lines.
template <auto Function> Contents lines(const Report &report) {
  if constexpr (std::is_invocable_v<decltype(Function), const View &, const Found &>)
    return {Function(report.view, report.found), {}, {}};
  else
    return {Function(report.view), {}, {}};
}

Lines noNote(const View &) { return {}; }

/// Title and column names, then a row on each line.
template <auto Function, auto Note = noNote> Contents table(const Report &report) {
  Contents contents;
  for (Line &line : Function(report.view))
    if (contents.head.size() < 2)
      contents.head.push_back(std::move(line));
    else
      contents.rows.push_back({std::move(line)});
  contents.note = Note(report.view);
  return contents;
}

Contents bugs(const Report &report) {
  return {{{"BUGS [proven]", 13, Paint::Red}}, findingRows(report.view, report.found.bugs), {}};
}
Contents waste(const Report &report) {
  return {{{"WASTE [proven]", 14, Paint::Red}}, findingRows(report.view, report.found.waste), {}};
}

/// Its heading stays where there is no room for a row: it says how many there are.
Contents uncounted(const View &view, const FindingList &findings, const char *name,
                   const std::string &meaning, Paint paint) {
  std::string heading = name + (" " + std::to_string(findings.size())) + meaning;
  return {{headed(std::move(heading), paint)}, findingRows(view, findings), {}};
}
Contents likely(const Report &report) {
  return uncounted(report.view, report.found.likely, "LIKELY",
                   "  not counted: true unless kernels or unseen code had a hand in it",
                   Paint::Yellow);
}
/// What costs much is shown to who does not ask for advice as well.
Contents advice(const Report &report) {
  const Found &found = report.found;
  if (verbose(report))
    return uncounted(report.view, found.advice, "ADVICE",
                     "  not counted: each has a cost and a remedy", Paint::Bold);
  const std::string all =
      found.dear.size() == found.advice.size() ? "" : " of " + std::to_string(found.advice.size());
  return uncounted(report.view, found.dear, "ADVICE",
                   all + "  not counted: may save 5 % of the run or more each", Paint::Bold);
}

// clang-format off
constexpr Section Sections[] = {
    // name           shown            contents                             fit
    {"header",        always,          lines<headerLine>,                   Fit::Whole},
    {"out of memory", always,          lines<outOfMemory>,                  Fit::Whole},
    {"result",        always,          lines<resultLines>,                  Fit::Whole},
    {"idle",          always,          lines<idleLines>,                    Fit::Whole},
    {"bugs",          always,          bugs,                                Fit::Proven},
    {"waste",         always,          waste,                               Fit::Proven},
    {"likely",        always,          likely,                              Fit::Findings},
    {"advice",        verboseOrDear,   advice,                              Fit::Findings},
    {"counts",        always,          lines<countsLine>,                   Fit::Whole},
    {"gpu",           always,          lines<gpuLines>,                     Fit::Whole},
    {"untimed",       always,          lines<untimedLines>,                 Fit::Whole},
    {"power",         always,          lines<powerLines>,                   Fit::Whole},
    {"host",          unlessGpuSaysIt, lines<hostLine>,                     Fit::Whole},
    {"phases",        always,          table<phaseTable>,                   Fit::Table},
    {"start-up",      unlessQuiet,     lines<startUpLine>,                  Fit::Whole},
    {"kernels",       unlessQuiet,     table<kernelTable, kernelNote>,      Fit::Table},
    {"transfers",     unlessQuiet,     table<transferTable, transferNote>,  Fit::Table},
    {"launches",      verbose,         table<launchTable>,                  Fit::Table},
    {"api",           unlessQuiet,     table<callTable>,                    Fit::Table},
    {"memory",        unlessQuiet,     lines<memoryLines>,                  Fit::Whole},
    {"unseen",        whenQuiet,       lines<unseenLines>,                  Fit::Whole},
    {"scope",         unlessQuiet,     lines<scopeLines>,                   Fit::Whole},
    {"ranks",         always,          lines<rankLines>,                    Fit::Whole},
    {"next",          unlessQuiet,     lines<nextLines>,                    Fit::Whole},
    {"summary",       always,          lines<summaryLine>,                  Fit::Whole},
};
// clang-format on

} // namespace

Report::Report(const View &view)
    : view(view), found{provenBugs(view), provenWaste(view), likelyOnes(view), adviceOnes(view),
                        dearOnes(view)},
      quiet(!found.counts() && found.likely.empty() && countsLine(view).empty() &&
            outOfMemory(view).empty() && !view.style.verbose && !view.style.top) {}

const std::vector<Section> &sections() {
  static const auto *all = new std::vector<Section>(std::begin(Sections), std::end(Sections));
  return *all;
}

} // namespace gpuinstr::report
