// Puts the sections together within the limit of lines.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::Profile;

namespace {

void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

/// Everything but the three parts that can be long.
struct Frame {
  Lines top, counts, middle, bottom;
  bool nothing = false; ///< nothing found and nothing asked for: no tables

  std::size_t size() const { return top.size() + counts.size() + middle.size() + bottom.size(); }
};

Frame makeFrame(const View &view, const Found &found) {
  Frame frame;
  frame.top = {headerLine(view)};
  Lines exhausted = outOfMemory(view);
  append(frame.top, exhausted);
  append(frame.top, resultLines(view, found));
  frame.counts = countsLine(view);
  frame.nothing = !found.counts() && found.likely.empty() && frame.counts.empty() &&
                  exhausted.empty() && !view.style.verbose && !view.style.top;
  frame.middle = gpuLines(view);
  append(frame.middle, untimedLines(view));
  if (!frame.nothing || frame.middle.empty())
    append(frame.middle, hostLine(view));
  if (!frame.nothing)
    append(frame.middle, startUpLine(view));
  if (!frame.nothing)
    append(frame.bottom, memoryLines(view));
  Lines scope = frame.nothing ? unseenLines(view) : scopeLines(view);
  if (!scope.empty()) {
    scope[0].text.replace(0, 5, "SCOPE");
    scope[0] = headed(scope[0].text);
  }
  append(frame.bottom, scope);
  append(frame.bottom, rankLines(view));
  if (!frame.nothing)
    append(frame.bottom, nextLines(view, found));
  append(frame.bottom, summaryLine(view, found));
  return frame;
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

std::vector<Group> singleLines(const Lines &lines, std::size_t from) {
  std::vector<Group> groups;
  for (std::size_t i = from; i < lines.size(); ++i)
    groups.push_back({lines[i]});
  return groups;
}

/// Title and column names, rows, and a note that stays.
struct Table {
  Lines lines, note;
};

/// As many rows as fit into `room` lines, none when it is too short for a table. The lines used.
std::size_t appendTable(Lines &out, const Table &table, std::size_t room, std::size_t rows) {
  if (table.lines.size() <= 2 || room <= 3 + table.note.size())
    return 0;
  out.push_back(table.lines[0]);
  out.push_back(table.lines[1]);
  std::size_t fixed = 2 + table.note.size();
  std::size_t used = appendGroups(out, singleLines(table.lines, 2), room - fixed, rows);
  append(out, table.note);
  return fixed + used;
}

/// Lines that a section would fill: the heading and `groups`.
std::size_t linesOf(const std::vector<Group> &groups) {
  std::size_t sum = 0;
  for (const Group &group : groups)
    sum += group.size();
  return sum ? sum + 1 : 0;
}

Lines assemble(const View &view) {
  const ReportStyle &style = view.style;
  Found found{provenBugs(view), provenWaste(view), likelyOnes(view), adviceOnes(view)};
  Frame frame = makeFrame(view, found);
  std::vector<Group> bugRows = findingRows(view, found.bugs),
                     wasteRows = findingRows(view, found.waste),
                     likelyRows = findingRows(view, found.likely), adviceRows;
  if (style.verbose)
    adviceRows = findingRows(view, found.advice);
  Lines calls = frame.nothing ? Lines() : callTable(view);
  std::vector<Table> tables;
  if (!frame.nothing)
    tables = {{kernelTable(view), kernelNote(view)}, {transferTable(view), transferNote(view)}};
  if (style.verbose)
    tables.push_back({launchTable(view), {}});

  constexpr std::size_t NoLimit = SIZE_MAX / 2;
  bool limited = !style.verbose && !style.top;
  std::size_t rows = style.verbose || !style.top ? NoLimit : style.top;
  std::size_t fixed = frame.size();
  std::size_t room = limited ? (style.maxLines > fixed ? style.maxLines - fixed : 0) : NoLimit;
  // Bugs come first, but a short table and the head of the likely ones stay.
  std::size_t forCalls = std::min<std::size_t>(calls.size(), 6);
  std::size_t forDevice = 0;
  for (const Table &table : tables)
    forDevice += std::min<std::size_t>(table.lines.size(), 5) + table.note.size();
  forCalls += forDevice;
  std::size_t forLikely = std::min<std::size_t>(linesOf(likelyRows), 4);
  std::size_t forWaste = std::min<std::size_t>(linesOf(wasteRows), 5);
  auto left = [&](std::size_t reserved) { return room > reserved ? room - reserved : 0; };

  Lines out = frame.top;
  auto section = [&](Line heading, const std::vector<Group> &groups, std::size_t reserved) {
    if (groups.empty() || left(0) <= 1)
      return;
    out.push_back(std::move(heading));
    room -= 1;
    room -= appendGroups(out, groups, left(reserved), rows);
  };
  section({"BUGS [proven]", 13, Paint::Red}, bugRows, forCalls + forLikely + forWaste);
  section({"WASTE [proven]", 14, Paint::Red}, wasteRows, forCalls + forLikely);
  section(
      headed("LIKELY   not counted: code that is not instrumented may explain them", Paint::Yellow),
      likelyRows, forCalls);
  section(headed("ADVICE   not counted: each has a cost and a remedy"), adviceRows, forCalls);
  append(out, frame.counts);
  append(out, frame.middle);
  std::size_t automatic = style.verbose || style.top ? rows : 10;
  for (const Table &table : tables) {
    forDevice -= std::min<std::size_t>(table.lines.size(), 5) + table.note.size();
    std::size_t reserved = forDevice + std::min<std::size_t>(calls.size(), 6);
    room -= appendTable(out, table, left(reserved), automatic);
  }
  appendTable(out, {calls, {}}, left(0), automatic);
  append(out, frame.bottom);
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
