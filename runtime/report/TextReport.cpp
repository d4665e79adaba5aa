// Puts the sections together within the limit of lines.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include "profile/Kinds.h"
#include "report/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::Finding;
using profile::Process;
using profile::Profile;
using profile::Site;

namespace {

void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

std::string wallText(uint64_t ns) {
  if (ns < 1000000000)
    return timeText(static_cast<double>(ns));
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.3f s", static_cast<double>(ns) / 1e9);
  return buffer;
}

/// "1x NVIDIA H200", "2x A, 1x B", "no GPU", "simulated device, kernels not run".
std::string devicesText(const Profile &profile) {
  std::vector<std::pair<std::string, unsigned>> models;
  for (const profile::Device &device : profile.devices) {
    std::string name = device.name.empty() ? "unknown GPU" : printable(device.name, 30);
    if (device.simulated)
      name = device.kernels_not_run ? "simulated device, kernels not run" : "simulated device";
    auto found = std::find_if(models.begin(), models.end(),
                              [&](const auto &model) { return model.first == name; });
    if (found == models.end())
      models.emplace_back(name, 1u);
    else
      ++found->second;
  }
  if (models.size() == 1 && models[0].second == 1 && profile.devices[0].simulated)
    return models[0].first;
  std::string text;
  for (const auto &model : models)
    text += (text.empty() ? "" : ", ") + std::to_string(model.second) + "x " + model.first;
  return text.empty() ? "no GPU" : shorten(text, 50);
}

Line headerLine(const View &view) {
  const Process &process = view.profile.process;
  std::string who = " (pid " + std::to_string(process.pid);
  if (process.rank >= 0)
    who += ", rank " + std::to_string(process.rank);
  std::string rest =
      who + ")  " + devicesText(view.profile) + "  " + wallText(process.wall_ns) + " ";
  std::string exe =
      printable(!process.args.empty() && !process.args[0].empty() ? process.args[0] : process.exe);
  std::size_t columns = view.style.columns, used = 13 + displayWidth(rest);
  exe = shorten(exe, columns > used + 12 ? columns - used - 2 : 10);
  std::string line = "== gpuinstr: " + exe + rest;
  std::size_t width = displayWidth(line);
  if (width < columns)
    line += std::string(columns - width, '=');
  line = shorten(line, columns);
  std::size_t bytes = line.size();
  return {std::move(line), bytes, Paint::Bold};
}

/// A process that did not end by itself still held what it was using.
bool endedEarly(const std::string &ended) {
  return ended == "_exit" || ended == "abort" || ended.rfind("signal", 0) == 0;
}

/// What the report is about: the findings, by grade.
struct Found {
  FindingList bugs, waste, likely, advice;
  bool counts() const { return !bugs.empty() || !waste.empty(); }
};

/// "1 waste (up to 152 ms, 6.6 %)".
std::string wasteText(const View &view, const FindingList &waste) {
  std::string text = std::to_string(waste.size()) + " waste";
  uint64_t cost = costOf(waste), wall = view.profile.process.wall_ns;
  if (!cost)
    return text;
  text += " (up to " + timeText(static_cast<double>(cost));
  if (wall) {
    char percent[32];
    std::snprintf(percent, sizeof(percent), ", %.1f %%",
                  std::min(100.0, 100.0 * static_cast<double>(cost) / static_cast<double>(wall)));
    text += percent;
  }
  return text + ")";
}

Line resultLine(const View &view, const Found &found) {
  const Process &process = view.profile.process;
  const FindingList &bugs = found.bugs, &likely = found.likely;
  std::string result = found.counts() ? "" : "clean";
  if (!bugs.empty())
    result = plural(bugs.size(), "bug", "bugs");
  if (!found.waste.empty())
    result += (bugs.empty() ? "" : ", ") + wasteText(view, found.waste);
  if (!likely.empty())
    result += ", " + std::to_string(likely.size()) + " likely";
  std::size_t exhausted = ofPattern(view, "out-of-memory").size();
  if (exhausted)
    result += ", out of memory";
  std::string line = "RESULT  " + result;
  std::string cost;
  if (process.own_cost_percent > 0) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.1f %%", process.own_cost_percent);
    cost = buffer;
  }
  if (process.startup_ns)
    cost +=
        (cost.empty() ? "" : " + ") + timeText(static_cast<double>(process.startup_ns)) + " start";
  if (!cost.empty())
    line += " | own cost " + cost;
  if (process.ended == "report_now")
    line += " | so far";
  else if (endedEarly(process.ended))
    line += " | ended by " + printable(process.ended, 20) + ": live memory is no leak then";
  if (view.profile.paused)
    line += " | paused";
  bool clean = !found.counts() && likely.empty() && !exhausted;
  return headed(shorten(line, view.style.columns), clean          ? Paint::Green
                                                   : bugs.empty() ? Paint::Yellow
                                                                  : Paint::Red);
}

/// How a file pattern keeps the ranks' files apart.
std::string rankFiles(const char *key, const std::string &pattern) {
  bool apart = false;
  for (const char *sequence : {"%r", "%p", "%q{"})
    apart |= pattern.find(sequence) != std::string::npos;
  return std::string(key) + "=" + printable(pattern, 36) + (apart ? "" : " (.PID where taken)");
}

Lines rankLines(const View &view) {
  const Process &process = view.profile.process;
  if (process.rank < 0)
    return {};
  const ReportStyle &style = view.style;
  std::string line = "RANKS    only rank 0 prints; ";
  std::string files;
  if (!style.jsonPattern.empty())
    files = rankFiles("json", style.jsonPattern);
  if (!style.reportPattern.empty())
    files += (files.empty() ? "" : ", ") + rankFiles("report", style.reportPattern);
  line += files.empty() ? "json=PATH with %r in it keeps a profile of every rank"
                        : "each rank writes " + files;
  return {headed(shorten(line, style.columns))};
}

Lines nextLines(const View &view, const Found &found) {
  std::vector<std::string> parts;
  if (found.counts()) {
    const Finding &first = *(found.bugs.empty() ? found.waste : found.bugs).front();
    parts.push_back("explain: gpuinstr explain " + printable(first.pattern));
    const Site *shown = view.shown(first);
    if (shown && !shown->function.empty())
      parts.push_back("suppress: " + printable(first.pattern) + ":" +
                      printable(shown->function, 30));
  }
  parts.push_back("full: " + (view.style.jsonPath.empty() ? std::string("json=PATH")
                                                          : printable(view.style.jsonPath, 50)));
  while (true) {
    std::string line = "NEXT     ";
    for (std::size_t i = 0; i < parts.size(); ++i)
      line += (i ? " | " : "") + parts[i];
    if (parts.size() == 1 || displayWidth(line) <= view.style.columns)
      return {headed(line)};
    parts.erase(parts.end() - 2); // the file's name matters most, then the explanation
  }
}

Lines summaryLine(const View &view, const Found &found) {
  FindingList counted = found.bugs;
  counted.insert(counted.end(), found.waste.begin(), found.waste.end());
  std::vector<std::string> items = totalsByPattern(counted, true);
  if (items.empty())
    items.push_back(found.likely.empty()
                        ? "clean"
                        : "clean, " + std::to_string(found.likely.size()) + " likely");
  ReportStyle oneLine = view.style;
  oneLine.verbose = false;
  Lines lines = listLines(oneLine, "SUMMARY: gpuinstr: ", items);
  // Rather all kinds without their sizes than some kinds only.
  if (items.size() > 1 && lines[0].text.find(items.back()) == std::string::npos)
    lines = listLines(oneLine, "SUMMARY: gpuinstr: ", totalsByPattern(counted, false));
  return lines;
}

/// Everything but the three parts that can be long.
struct Frame {
  Lines top, counts, middle, bottom;
  bool nothing = false; ///< nothing found and nothing asked for: no tables

  std::size_t size() const { return top.size() + counts.size() + middle.size() + bottom.size(); }
};

Frame makeFrame(const View &view, const Found &found) {
  Frame frame;
  frame.top = {headerLine(view)};
  append(frame.top, outOfMemory(view));
  frame.top.push_back(resultLine(view, found));
  frame.counts = countsLine(view);
  append(frame.middle, hostLine(view));
  frame.nothing = !found.counts() && found.likely.empty() && frame.counts.empty() &&
                  frame.top.size() == 2 && !view.style.verbose && !view.style.top;
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
