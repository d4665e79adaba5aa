// The lines above and below the tables: who ran, what came out, what to do next.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "base/text/SignalText.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::Finding;
using profile::Process;
using profile::Profile;
using profile::Site;

namespace {

std::string wallText(uint64_t ns) {
  if (ns < 1000000000)
    return timeText(static_cast<double>(ns));
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.3f s", static_cast<double>(ns) / 1e9);
  return buffer;
}

/// "1x NVIDIA H200", "2x A, 1x B", "no GPU", "simulated device, kernels not run". Of a program that
/// only counted them: "no GPU used".
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
  if (text.empty())
    return profile::withoutGpu(profile) ? "no GPU" : "no GPU used";
  return shorten(text, 50);
}

} // namespace

Lines headerLine(const View &view) {
  const Process &process = view.profile.process;
  const uint64_t processes = view.profile.merged.processes;
  std::string who = processes ? " (" + plural(processes, "process", "processes")
                              : " (pid " + std::to_string(process.pid);
  if (process.rank >= 0 && !processes)
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
  return {{std::move(line), bytes, Paint::Bold}};
}

namespace {

/// A process that did not end by itself still held what it was using.
bool endedEarly(const std::string &ended) {
  return ended == "_exit" || ended == "abort" || ended == "killed" || ended == "error" ||
         ended == "exit in a call" || ended.rfind("signal", 0) == 0;
}

/// "ended by SIGTERM".
std::string endingText(const std::string &ended) {
  if (ended == "killed")
    return "was killed";
  if (int signal = 0; std::sscanf(ended.c_str(), "signal %d", &signal) == 1)
    return "ended by " + signalText(signal);
  if (ended == "exit in a call")
    return "ended by exit() within a call";
  return "ended by " + (ended == "error" ? "exit() behind a failed call" : printable(ended, 20));
}

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

/// "0.9 % + 14 ms start", with verbose "+ 2 ms end" and the memory as well; "" unknown.
std::string ownCostText(const View &view) {
  const Process &process = view.profile.process;
  std::string cost;
  if (process.own_cost_percent > 0) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.1f %%", process.own_cost_percent);
    cost = buffer;
  }
  if (process.startup_ns)
    cost +=
        (cost.empty() ? "" : " + ") + timeText(static_cast<double>(process.startup_ns)) + " start";
  if (view.style.verbose && process.ending_ns)
    cost += (cost.empty() ? "" : " + ") + timeText(static_cast<double>(process.ending_ns)) + " end";
  if (view.style.verbose && process.own_host_bytes)
    cost += (cost.empty() ? "" : ", ") + bytesText(process.own_host_bytes) + " host, " +
            bytesText(process.own_device_bytes) + " device memory";
  return cost;
}

/// With verbose: what the own cost went into.
Lines ownCostLines(const View &view) {
  std::vector<std::string> parts;
  for (const profile::OwnCost &part : view.profile.process.own_costs)
    parts.push_back(printable(part.consumer.text()) + " " + timeText(static_cast<double>(part.ns)));
  if (!view.style.verbose || parts.empty())
    return {};
  return listLines(view.style, "        own cost: ", parts);
}

/// "39 %", never rounded up to all.
std::string shareText(uint64_t part, uint64_t whole) {
  double percent = whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 100;
  return std::to_string(static_cast<int>(percent)) + " %";
}

} // namespace

std::string judgedText(const profile::Audit &audit) {
  return shareText(audit.judged_bytes, audit.transfer_bytes) + " of " +
         bytesText(audit.transfer_bytes) + " in copies and sets, " +
         shareText(audit.judged_ns, audit.transfer_ns) + " of their time";
}

std::string verdictText(const Profile &profile) {
  const profile::Audit &audit = profile.coverage.audit;
  if (profile::withoutGpu(profile))
    return "no GPU here: gpuinstr run --simulate";
  if (std::string foreign = foreignText(profile.coverage);
      !foreign.empty() && profile::isJudged(audit))
    return "nothing found in what was seen; " + foreign;
  if (profile::isJudged(audit) && endedEarly(profile.process.ended))
    return "nothing found up to there";
  if (profile::isJudged(audit))
    return "clean";
  if (audit.mode == profile::AuditDepth::Off)
    return "no bugs; waste not judged (audit is off)";
  return "no bugs; waste not judged (looked at: " + judgedText(audit) + ")";
}

Lines resultLines(const View &view, const Found &found) {
  const Process &process = view.profile.process;
  const FindingList &bugs = found.bugs, &likely = found.likely;
  std::string result = found.counts() ? "" : verdictText(view.profile);
  if (!bugs.empty()) {
    const std::size_t lines = bugsIn(bugs);
    result = plural(lines, "bug", "bugs");
    if (bugs.size() > lines)
      result += " in " + std::to_string(bugs.size()) + " rows";
  }
  if (!found.waste.empty())
    result += (bugs.empty() ? "" : ", ") + wasteText(view, found.waste);
  if (!likely.empty())
    result += ", " + std::to_string(likely.size()) + " likely";
  std::size_t exhausted = ofPattern(view, profile::Pattern::OutOfMemory).size();
  if (exhausted)
    result += ", out of memory";
  std::vector<std::string> parts{gpuBusyText(view)};
  if (std::string cost = ownCostText(view); !cost.empty())
    parts.push_back("own cost " + cost);
  if (process.ended == "report_now")
    parts.push_back("so far");
  else if (endedEarly(process.ended))
    parts.push_back(view.profile.merged.processes
                        ? "a process " + endingText(process.ended) + ": what it held is no leak"
                        : endingText(process.ended) + ": live memory is no leak then");
  if (view.profile.paused)
    parts.push_back("paused");
  bool clean =
      !found.counts() && likely.empty() && !exhausted && verdictText(view.profile) == "clean";
  Paint paint = clean ? Paint::Green : bugs.empty() ? Paint::Yellow : Paint::Red;
  Lines lines{headed("RESULT  " + result, paint)};
  for (const std::string &part : parts) {
    if (part.empty())
      continue;
    std::string &last = lines.back().text;
    if (displayWidth(last) + 3 + displayWidth(part) <= view.style.columns)
      last += " | " + part;
    else
      lines.push_back({"        " + part});
  }
  Lines fitting;
  for (Line &line : lines) {
    std::vector<std::string> parts = wrapped(line.text.substr(8), view.style.columns - 8);
    for (std::size_t i = 0; i < parts.size(); ++i)
      fitting.push_back(i ? Line{"        " + parts[i]}
                          : Line{line.text.substr(0, 8) + parts[i], line.painted, line.paint});
  }
  for (Line &line : ownCostLines(view))
    fitting.push_back(std::move(line));
  return fitting;
}

namespace {

/// How a file pattern keeps the ranks' files apart.
std::string rankFiles(const char *key, const std::string &pattern) {
  bool apart = false;
  for (const char *sequence : {"%r", "%p", "%q{"})
    apart |= pattern.find(sequence) != std::string::npos;
  return std::string(key) + "=" + printable(pattern, 36) + (apart ? "" : " (.PID where taken)");
}

} // namespace

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
  Lines lines = wrappedLines(view, 9, line.substr(9));
  lines[0] = headed(line.substr(0, 9) + lines[0].text.substr(9));
  return lines;
}

static std::string joined(const std::vector<std::string> &parts) {
  std::string line = "NEXT     ";
  for (const std::string &part : parts)
    line += (&part == &parts[0] ? "" : " | ") + part;
  return line;
}

Lines nextLines(const View &view, const Found &found) {
  std::string file =
      "profile: " +
      (view.style.jsonPath.empty() ? std::string("json=PATH") : printable(view.style.jsonPath, 50));
  if (!found.counts())
    return {headed(joined({file}))};
  const Finding &first = *(found.bugs.empty() ? found.waste : found.bugs).front();
  const Site *shown = view.shown(first);
  std::string id = printable(first.pattern.text()), explain = "explain: gpuinstr explain " + id;
  std::string function = shown ? printable(shown->function, 30) : "", rule, site;
  if (!function.empty())
    rule = "suppress: " + id + ":" + function;
  if (!rule.empty() && !first.variable.empty())
    site = rule + ":" + printable(first.variable, 30);
  // As much as fits: the file's name matters most, then the explanation.
  for (const std::string &suppress : {site, rule})
    if (std::string line = joined({explain, suppress, file});
        !suppress.empty() && displayWidth(line) <= view.style.columns)
      return {headed(line)};
  std::string line = joined({explain, file});
  return {headed(displayWidth(line) <= view.style.columns ? line : joined({file}))};
}

Lines summaryLine(const View &view, const Found &found) {
  FindingList counted = found.bugs;
  counted.insert(counted.end(), found.waste.begin(), found.waste.end());
  std::vector<std::string> items = totalsByPattern(counted, true);
  if (items.empty())
    items.push_back(verdictText(view.profile));
  if (items.size() == 1 && !found.counts() && !found.likely.empty())
    items[0] += ", " + std::to_string(found.likely.size()) + " likely";
  ReportStyle oneLine = view.style;
  oneLine.verbose = false;
  Lines lines = listLines(oneLine, "SUMMARY: gpuinstr: ", items);
  // Rather all kinds without their sizes than some kinds only.
  if (items.size() > 1 && lines[0].text.find(items.back()) == std::string::npos)
    lines = listLines(oneLine, "SUMMARY: gpuinstr: ", totalsByPattern(counted, false));
  return lines;
}

} // namespace gpuinstr::report
