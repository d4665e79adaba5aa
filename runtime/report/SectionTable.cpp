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
Contents likely(const Report &report) {
  return {{headed("LIKELY   not counted: code that is not instrumented may explain them",
                  Paint::Yellow)},
          findingRows(report.view, report.found.likely),
          {}};
}
Contents advice(const Report &report) {
  return {{headed("ADVICE   not counted: each has a cost and a remedy")},
          findingRows(report.view, report.found.advice),
          {}};
}

// clang-format off
constexpr Section Sections[] = {
    // name           shown            contents                             fit            kept
    {"header",        always,          lines<headerLine>,                   Fit::Whole,    0},
    {"out of memory", always,          lines<outOfMemory>,                  Fit::Whole,    0},
    {"result",        always,          lines<resultLines>,                  Fit::Whole,    0},
    {"bugs",          always,          bugs,                                Fit::Proven,   0},
    {"waste",         always,          waste,                               Fit::Proven,   5},
    {"likely",        always,          likely,                              Fit::Findings, 4},
    {"advice",        verbose,         advice,                              Fit::Findings, 0},
    {"counts",        always,          lines<countsLine>,                   Fit::Whole,    0},
    {"gpu",           always,          lines<gpuLines>,                     Fit::Whole,    0},
    {"untimed",       always,          lines<untimedLines>,                 Fit::Whole,    0},
    {"host",          unlessGpuSaysIt, lines<hostLine>,                     Fit::Whole,    0},
    {"start-up",      unlessQuiet,     lines<startUpLine>,                  Fit::Whole,    0},
    {"kernels",       unlessQuiet,     table<kernelTable, kernelNote>,      Fit::Table,    5},
    {"transfers",     unlessQuiet,     table<transferTable, transferNote>,  Fit::Table,    5},
    {"launches",      verbose,         table<launchTable>,                  Fit::Table,    5},
    {"api",           unlessQuiet,     table<callTable>,                    Fit::Table,    6},
    {"memory",        unlessQuiet,     lines<memoryLines>,                  Fit::Whole,    0},
    {"unseen",        whenQuiet,       lines<unseenLines>,                  Fit::Whole,    0},
    {"scope",         unlessQuiet,     lines<scopeLines>,                   Fit::Whole,    0},
    {"ranks",         always,          lines<rankLines>,                    Fit::Whole,    0},
    {"next",          unlessQuiet,     lines<nextLines>,                    Fit::Whole,    0},
    {"summary",       always,          lines<summaryLine>,                  Fit::Whole,    0},
};
// clang-format on

} // namespace

Report::Report(const View &view)
    : view(view), found{provenBugs(view), provenWaste(view), likelyOnes(view), adviceOnes(view)},
      quiet(!found.counts() && found.likely.empty() && countsLine(view).empty() &&
            outOfMemory(view).empty() && !view.style.verbose && !view.style.top) {}

const std::vector<Section> &sections() {
  static const auto *all = new std::vector<Section>(std::begin(Sections), std::end(Sections));
  return *all;
}

} // namespace gpuinstr::report
