// What was seen and what was not.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

namespace {

constexpr const char *Work[] = {"Launch", "Memcpy", "Memset"};

std::string fileName(const profile::Image &image) {
  return printable(image.path.substr(image.path.find_last_of('/') + 1));
}

std::vector<std::string> imageNames(const profile::Coverage &coverage, bool instrumented) {
  std::vector<std::string> names;
  for (const profile::Image &image : coverage.images)
    if (image.instrumented == instrumented)
      names.push_back(fileName(image) + (instrumented || !image.trusted ? "" : " (trusted)"));
  return names;
}

std::vector<std::string> printables(const std::vector<std::string> &texts) {
  std::vector<std::string> out;
  for (const std::string &text : texts)
    out.push_back(printable(text));
  return out;
}

void moveTo(Lines &to, Lines from) {
  for (Line &line : from)
    to.push_back(std::move(line));
}

/// Objects of an instrumented image that were compiled without the plugin, by what they call.
std::string partsText(const profile::Image &image, bool all) {
  std::vector<std::string> calls = printables(image.unseen_calls);
  auto isWork = [](const std::string &name) {
    return std::any_of(std::begin(Work), std::end(Work),
                       [&](const char *word) { return name.find(word) != std::string::npos; });
  };
  std::stable_partition(calls.begin(), calls.end(), isWork);
  std::string text = "NOT instrumented: parts of " + fileName(image) + " that call ";
  const std::size_t shown =
      all || calls.size() == 4 ? calls.size() : std::min<std::size_t>(3, calls.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? ", " : "") + calls[i];
  if (shown < calls.size())
    text += " and " + std::to_string(calls.size() - shown) + " more";
  return text + (image.trusted ? ": trusted (trust=)"
                               : ": what they do is unseen, so waste is likely at most");
}

Lines unseen(const View &view) {
  const profile::Coverage &coverage = view.profile.coverage;
  Lines lines;
  std::vector<std::string> images = imageNames(coverage, false);
  if (!images.empty())
    moveTo(lines, listLines(view.style, "         NOT instrumented: ", images,
                            images.size() == 1 ? " (its frees and copies are unseen)"
                                               : " (their frees and copies are unseen)"));
  for (const profile::Image &image : coverage.images)
    if (!image.unseen_calls.empty())
      moveTo(lines, wrappedLines(view, 9, partsText(image, view.style.verbose)));
  if (!coverage.addresses_taken.empty())
    moveTo(lines, listLines(view.style, "         called through pointers, unseen: ",
                            printables(coverage.addresses_taken)));
  if (std::string foreign = foreignText(coverage); !foreign.empty())
    moveTo(lines, wrappedLines(view, 9, foreign));
  std::size_t shown = 0;
  for (const std::string &note : coverage.notes) {
    if (shown++ == 3 && coverage.notes.size() > 4 && !view.style.verbose) {
      lines.push_back(
          {"         " + std::to_string(coverage.notes.size() - 3) + " more notes (verbose=1)"});
      break;
    }
    moveTo(lines, wrappedLines(view, 9, printable(note)));
  }
  return lines;
}

/// How much of the copies and sets was judged, and what kept repeats from it.
Lines auditLine(const View &view) {
  const profile::Audit &audit = view.profile.coverage.audit;
  if (!audit.transfers)
    return {};
  std::string line =
      "         judged " + judgedText(audit) + " (audit=" + printable(audit.mode.text()) + ")";
  std::vector<std::string> skipped;
  auto add = [&](uint64_t count, const char *why) {
    if (count)
      skipped.push_back(std::to_string(count) + " " + why);
  };
  // In the user's words; docs/Report.md says what to do about each.
  add(audit.skipped_budget, audit.mode == profile::AuditDepth::Full
                                ? "to keep the run's time (budget=)"
                                : "to keep the run's time (audit=full, budget=)");
  add(audit.skipped_busy, "beside kernels that may wait for the host");
  add(audit.skipped_capture,
      "in captures, and in graphs of which a host function or a node may write what they copy");
  add(audit.skipped_full, "while too many copies were under way");
  add(audit.skipped_device,
      "for want of a safe moment, of device memory or by the driver's refusal");
  add(audit.skipped_unreadable, "in memory that gpuinstr may not read");
  Lines lines{{line}};
  std::string reasons;
  for (const std::string &why : skipped)
    reasons += (reasons.empty() ? "repeats not looked at: " : ", ") + why;
  if (!reasons.empty())
    moveTo(lines, wrappedLines(view, 9, reasons));
  return lines;
}

Lines underScope(Lines lines) {
  if (!lines.empty())
    lines[0] = headed(lines[0].text.replace(0, 5, "SCOPE"));
  return lines;
}

} // namespace

std::string foreignText(const profile::Coverage &coverage) {
  uint64_t number = coverage.foreign_operations;
  if (!number)
    return "";
  return plural(number, "operation", "operations") +
         " used memory that instrumented code did not allocate";
}

Lines unseenLines(const View &view) { return underScope(unseen(view)); }

Lines scopeLines(const View &view) {
  const profile::Coverage &coverage = view.profile.coverage;
  Lines lines;
  std::vector<std::string> seen = imageNames(coverage, true);
  if (!seen.empty())
    moveTo(lines, listLines(view.style, "         instrumented: ", seen,
                            " (" + std::to_string(coverage.sites_run) + " of " +
                                plural(coverage.sites, "site", "sites") + " ran)"));
  moveTo(lines, unseen(view));
  moveTo(lines, auditLine(view));
  if (!coverage.vendor.empty())
    moveTo(lines, listLines(view.style, "         vendor: ", printables(coverage.vendor),
                            " (charged to your calling line)"));
  return underScope(std::move(lines));
}

} // namespace gpuinstr::report
