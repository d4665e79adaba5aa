// Lays out the sections of SectionTable.cpp within the limit of lines.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include "report/SectionTable.h"
#include <algorithm>
#include <cstdint>

namespace gpuinstr::report {

using profile::Profile;

namespace {

constexpr std::size_t NoLimit = SIZE_MAX / 2;

void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

/// A section that is shown.
struct Shown {
  const Section *section;
  Contents contents;
};

std::vector<Shown> shownSections(const View &view) {
  Report report(view);
  std::vector<Shown> shown;
  for (const Section &section : sections())
    if (section.shown(report))
      shown.push_back({&section, section.make(report)});
  return shown;
}

/// Lines that sections above leave to this one, however many they have themselves.
std::size_t keptFor(const Shown &shown) {
  const Contents &c = shown.contents;
  std::size_t lines = c.rows.empty() ? 0 : c.head.size();
  for (const Group &group : c.rows)
    lines += group.size();
  return std::min(lines, shown.section->kept) + c.note.size();
}

/// At most so many rows of a section.
std::size_t mostRows(Fit fit, const ReportStyle &style) {
  if (style.verbose)
    return NoLimit;
  return style.top ? style.top : fit == Fit::Table ? 10 : NoLimit;
}

/// Appends whole groups while they fit into `room` lines, the closing "more" line included; at most
/// `rows` groups. Returns the lines used.
std::size_t appendGroups(Lines &out, const std::vector<Group> &groups, std::size_t room,
                         std::size_t rows) {
  std::size_t used = 0, shown = 0;
  for (; shown < groups.size() && shown < rows; ++shown) {
    std::size_t closing = shown + 1 < groups.size() ? 1 : 0;
    if (used + groups[shown].size() + closing > room)
      break;
    append(out, groups[shown]);
    used += groups[shown].size();
  }
  if (shown < groups.size() && used < room) {
    out.push_back({" ... " + std::to_string(groups.size() - shown) + " more (verbose=1)"});
    ++used;
  }
  return used;
}

/// As appendGroups(); of findings for which there is no room, the line that names them is shown all
/// the same, unless they are very many. May use more lines than there are.
std::size_t appendProven(Lines &out, const std::vector<Group> &groups, std::size_t room,
                         std::size_t rows) {
  constexpr std::size_t AlwaysNamed = 16;
  std::size_t used = 0, shown = 0, named = std::min(groups.size(), AlwaysNamed);
  for (; shown < groups.size() && shown < rows; ++shown) {
    // The others' names need their lines, too.
    std::size_t others = shown + 1 < named ? named - shown - 1 : shown + 1 < groups.size();
    bool fits = used + groups[shown].size() + others <= room;
    if (!fits && shown >= named)
      break;
    out.push_back(groups[shown][0]);
    if (fits)
      out.insert(out.end(), groups[shown].begin() + 1, groups[shown].end());
    used += fits ? groups[shown].size() : 1;
  }
  if (shown < groups.size()) {
    out.push_back({" ... " + std::to_string(groups.size() - shown) + " more (verbose=1)"});
    ++used;
  }
  return used;
}

/// As many rows as fit into `room` lines less those `reserved` for later sections. Returns the
/// lines used.
std::size_t appendRows(Lines &out, const Shown &shown, std::size_t room, std::size_t reserved,
                       const ReportStyle &style) {
  const Contents &c = shown.contents;
  Fit fit = shown.section->fit;
  std::size_t fixed = c.head.size() + c.note.size();
  std::size_t left = room > reserved ? room - reserved : 0;
  if (c.rows.empty() || (fit == Fit::Table      ? left <= fixed + 1
                         : fit == Fit::Findings ? room <= fixed
                                                : false))
    return 0;
  append(out, c.head);
  auto appendAll = fit == Fit::Proven ? appendProven : appendGroups;
  std::size_t used = appendAll(out, c.rows, left > fixed ? left - fixed : 0, mostRows(fit, style));
  append(out, c.note);
  return fixed + used;
}

Lines assemble(const View &view) {
  const ReportStyle &style = view.style;
  std::vector<Shown> all = shownSections(view);
  std::size_t whole = 0, reserved = 0;
  for (const Shown &shown : all)
    if (shown.section->fit == Fit::Whole)
      whole += shown.contents.head.size();
    else
      reserved += keptFor(shown);
  bool limited = !style.verbose && !style.top;
  std::size_t room = limited ? (style.maxLines > whole ? style.maxLines - whole : 0) : NoLimit;
  Lines out;
  for (const Shown &shown : all)
    if (shown.section->fit == Fit::Whole) {
      append(out, shown.contents.head);
    } else {
      reserved -= keptFor(shown);
      room -= std::min(room, appendRows(out, shown, room, reserved, style));
    }
  return out;
}

const char *escapeCode(Paint paint) {
  switch (paint) {
  case Paint::Bold:
    return "\033[1m";
  case Paint::Red:
    return "\033[1;31m";
  case Paint::Yellow:
    return "\033[1;33m";
  case Paint::Green:
    return "\033[1;32m";
  case Paint::Plain:
    break;
  }
  return "";
}

} // namespace

std::string render(const Profile &profile, const ReportStyle &style) {
  if (!profile.cuda_used)
    return "";
  ReportStyle usable = style;
  usable.columns = std::max(style.columns, 60u);
  View view(profile, usable);
  std::string out;
  for (Line &line : assemble(view)) {
    line.text.erase(line.text.find_last_not_of(' ') + 1);
    line.painted = std::min(line.painted, line.text.size());
    if (style.color && line.painted)
      out += escapeCode(line.paint) + line.text.substr(0, line.painted) + "\033[0m" +
             line.text.substr(line.painted);
    else
      out += line.text;
    out += '\n';
  }
  return out;
}

} // namespace gpuinstr::report
