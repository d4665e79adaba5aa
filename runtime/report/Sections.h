// What the files of sections/ give: whole lines. SectionTable.cpp has their order.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_REPORT_SECTIONS_H
#define GPUINSTR_REPORT_SECTIONS_H

#include "profile/Profile.h"
#include "report/TextReport.h"
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpuinstr::report {

enum class Paint { Plain, Bold, Red, Yellow, Green };

/// A line without newline; its first `painted` bytes are coloured where colours are on.
struct Line {
  std::string text;
  std::size_t painted = 0;
  Paint paint = Paint::Plain;
};
using Lines = std::vector<Line>;

/// A finding's row and what stands below it: shown together or not at all.
using Group = Lines;

/// The profile with its sites looked up by id.
class View {
public:
  View(const profile::Profile &profile, const ReportStyle &style);

  const profile::Profile &profile;
  const ReportStyle &style;

  /// nullptr for "" and unknown ids.
  const profile::Site *site(const std::string &id) const;
  /// "train.cu:88"; with its folder where two files share a name; "?" unknown.
  std::string place(const profile::Site *site) const;
  /// As shorten(); places in different files stay different where there is room for it.
  std::string shortened(const std::string &text, std::size_t columns) const;
  /// Where the user looks first: the caller's line where one is known, else the site's.
  const profile::Site *shown(const profile::Finding &finding) const;
  /// The same for the allocations of a holder: the place that gave the variable its name.
  const profile::Site *shown(const std::string &own, const std::string &caller,
                             const std::string &variable) const;

private:
  std::unordered_map<std::string_view, const profile::Site *> Sites;
  std::unordered_map<std::string, std::set<std::string_view>> FilesByName;
  std::set<std::string> FileTexts; ///< as place() shows them

  std::string fileText(std::string_view path) const;
};

/// Not suppressed findings of one grade that count (`Bug`) or stand under their own heading.
using FindingList = std::vector<const profile::Finding *>;
FindingList provenBugs(const View &view);
FindingList provenWaste(const View &view);
/// Bugs and waste.
FindingList likelyOnes(const View &view);
FindingList adviceOnes(const View &view);
/// Advice of which each may take so much of the run that it belongs on the screen, unasked.
FindingList dearOnes(const View &view);
FindingList ofPattern(const View &view, profile::Pattern pattern);

/// Bugs are counted by line, and kind of memory: one, whoever calls it, though each caller has a
/// finding.
std::size_t bugsIn(const FindingList &findings);

/// What the report is about: the findings, by grade.
struct Found {
  FindingList bugs, waste, likely, advice, dear;
  bool counts() const { return !bugs.empty() || !waste.empty(); }
};

Lines headerLine(const View &view);
/// One line, or more where it does not fit.
Lines resultLines(const View &view, const Found &found);
Lines rankLines(const View &view);
Lines nextLines(const View &view, const Found &found);
Lines summaryLine(const View &view, const Found &found);

/// "4.19 MB x1", "x3".
std::string amountText(uint64_t bytes, uint64_t count, bool estimated = false);
/// Time that could be won at most, ns: findings at one site are one time.
uint64_t costOf(const FindingList &findings);
/// As they stand in a list: a kernel's fault first, then by cost, as far as the kinds tell.
FindingList byImportance(FindingList list);
/// By bugsIn(): "2 leaks (8.39 MB)", "1 ignored-error (x3)", "1 noop-copy (1.67 GB, <=152 ms)";
/// without what stands in brackets unless `amounts`.
std::vector<std::string> totalsByPattern(const FindingList &findings, bool amounts);

std::vector<Group> findingRows(const View &view, const FindingList &findings);
Lines outOfMemory(const View &view);
Lines countsLine(const View &view);
/// One line per device: what its time went into, and what the host did while it was idle. Empty
/// when that was not measured.
Lines gpuLines(const View &view);
/// Why the device was idle: causes with their places, as bounds where times are sampled. Empty
/// where nothing is known, and of several devices.
Lines idleLines(const View &view);
/// Whether the parts of a device's time say something.
bool gpuShareIsKnown(const profile::GpuShare &gpu);
/// Share of the wall time that devices were at work, "GPU busy 61.6 %"; "" not measured.
std::string gpuBusyText(const View &view);
/// Device work of which no time is known, though other work was timed: in no share of the GPU line.
Lines untimedLines(const View &view);
/// The same of launches and library calls, or of copies and sets, below their table.
Lines untimedNote(const View &view, bool transfers);
/// Kernels that were launched where others were timed, but never timed themselves: "3 kernels"; ""
/// none.
std::string untimedKernels(const View &view);
/// `text` where exact times could be had, "" where the program had to do without.
std::string exactHint(const View &view, const char *text);
/// Energy, power, load and clocks of each whole device, as the driver says. Empty where it did not.
Lines powerLines(const View &view);
Lines hostLine(const View &view);
/// Title, column names, then a line per range of the program, longest first; empty without any.
Lines phaseTable(const View &view);
/// CUDA's one-time costs; empty when they are not worth a line.
Lines startUpLine(const View &view);
/// Title, column names, then one line per site, slowest first; empty when no call was timed.
Lines callTable(const View &view);
/// Title, column names, then a line per kernel and site, longest first; empty when none was timed.
Lines kernelTable(const View &view);
/// The same of copies and sets.
Lines transferTable(const View &view);
/// With verbose and exact times: where a launch's time goes, and how its kernel uses the device.
Lines launchTable(const View &view);
/// What `~` means in each, one line; empty where every operation was timed.
Lines kernelNote(const View &view);
Lines transferNote(const View &view);
/// Who held most; with verbose the table of allocations as well.
Lines memoryLines(const View &view);
/// Column names, then a line per site and kind of memory, largest first; empty when nothing was
/// allocated.
Lines allocationTable(const View &view);
Lines scopeLines(const View &view);
/// Of a run without findings: "clean", or that too little of the copies was looked at to say so.
std::string verdictText(const profile::Profile &profile);
/// "12 operations used memory that instrumented code did not allocate"; "" none.
std::string foreignText(const profile::Coverage &coverage);
/// "39 % of 5.65 GB in copies and sets, 28 % of their time": what was judged.
std::string judgedText(const profile::Audit &audit);
/// Only what was not seen: libraries without instrumentation, calls through pointers, notes.
Lines unseenLines(const View &view);

/// `prefix` and items joined by ", ": as many as fit with "+N more", or wrapped when verbose.
Lines listLines(const ReportStyle &style, const std::string &prefix,
                const std::vector<std::string> &items, const std::string &suffix = "");

/// A sentence at most `columns` wide, broken between words: continued on lines of its own. Only a
/// word that is wider than that loses its middle.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);
/// The same as lines, `indent` blanks before each.
Lines wrappedLines(const View &view, std::size_t indent, std::string_view text);

/// A line whose first word is a heading.
Line headed(std::string text, Paint paint = Paint::Bold);

/// Without the blank, so that five columns of figures fit: "1.45ms".
std::string compactTime(double ns);

/// Widths that make a row of columns, two blanks apart, fit into `columns`: the widest shrinks
/// first.
std::vector<std::size_t> fitWidths(std::vector<std::size_t> widths, std::size_t columns);

} // namespace gpuinstr::report

#endif
