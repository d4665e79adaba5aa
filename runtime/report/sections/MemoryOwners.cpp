// Who held memory: out of memory, at exit, at the peak.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <map>

namespace gpuinstr::report {

using profile::Finding;
using profile::Holder;
using profile::Site;

/// ", <=205 ms, most alloc-churn": what would be missed by who does not ask for them; ""
/// below 1 % of the run.
static std::string adviceCost(const View &view, const FindingList &advices) {
  const uint64_t cost = costOf(advices), wall = view.profile.process.wall_ns;
  if (!wall || cost < wall / 100)
    return "";
  std::map<profile::Pattern, FindingList> kinds;
  for (const Finding *finding : advices)
    kinds[finding->pattern.value()].push_back(finding);
  auto most = std::max_element(kinds.begin(), kinds.end(), [](const auto &a, const auto &b) {
    return costOf(a.second) < costOf(b.second);
  });
  return ", <=" + timeText(double(cost)) + ", most " +
         printable(most->second.front()->pattern.text());
}

static std::vector<std::string> holderItems(const View &view, std::vector<Holder> holders,
                                            bool withBytes = true) {
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder &a, const Holder &b) { return a.bytes > b.bytes; });
  std::vector<std::string> items;
  for (const Holder &holder : holders) {
    std::string item = holder.variable.empty() ? "" : printable(holder.variable, 30) + " ";
    if (withBytes && holder.bytes) // a stream has none
      item += bytesText(holder.bytes) + " ";
    if (holder.count > 1)
      item += "x" + std::to_string(holder.count) + " ";
    items.push_back(
        item +
        view.shortened(view.place(view.shown(holder.site, holder.caller, holder.variable)), 40));
  }
  return items;
}

Lines outOfMemory(const View &view) {
  Lines lines;
  for (const Finding *finding : ofPattern(view, profile::Pattern::OutOfMemory)) {
    const Site *site = view.site(finding->site), *shown = view.shown(*finding);
    std::string text = finding->bytes ? bytesText(finding->bytes) + " asked by " : "";
    text += site && !site->callee.empty() ? printable(site->callee, 40) : "an allocation";
    if (!finding->variable.empty())
      text += " for " + printable(finding->variable, 30);
    text += "  " + view.place(shown);
    if (shown && !shown->function.empty())
      text += "  " + printable(shown->function);
    Lines asked = wrappedLines(view, 15, text);
    asked[0] = {"OUT OF MEMORY  " + asked[0].text.substr(15), 13, Paint::Red};
    lines.insert(lines.end(), asked.begin(), asked.end());
    if (!finding->message.empty())
      for (Line &more : wrappedLines(view, 15, printable(finding->message)))
        lines.push_back(std::move(more));
    if (!finding->holders.empty()) {
      Lines held = listLines(
          view.style, std::string(15, ' ') + "held then: ", holderItems(view, finding->holders));
      lines.insert(lines.end(), held.begin(), held.end());
    }
    if (!view.style.verbose)
      break; // the first one tells the story
  }
  return lines;
}

Lines countsLine(const View &view) {
  uint64_t suppressed = 0, suppressedBytes = 0, heldBytes = 0;
  for (const Finding &finding : view.profile.findings)
    if (finding.suppressed) {
      ++suppressed;
      suppressedBytes += finding.bytes;
    }
  const FindingList advices = adviceOnes(view);
  std::size_t likely = likelyOnes(view).size(), advice = advices.size();
  FindingList held = ofPattern(view, profile::Pattern::HeldAtExit);
  std::vector<Holder> holders;
  for (const Finding *finding : held) {
    heldBytes += finding->bytes;
    holders.push_back(
        {finding->site, finding->caller, finding->variable, {}, finding->bytes, finding->count});
  }
  Lines lines;
  if (suppressed || likely || advice || !held.empty()) {
    std::string line = likely ? "" : "LIKELY 0   ";
    const bool allShown = view.style.verbose || dearOnes(view).size() == advice;
    if (advice)
      line += "ADVICE " + std::to_string(advice) +
              (allShown ? "   " : adviceCost(view, advices) + " (verbose=1)   ");
    line += "SUPPRESSED " + std::to_string(suppressed);
    if (suppressedBytes)
      line += " (" + bytesText(suppressedBytes) + ")";
    line += "   HELD AT EXIT ";
    line += held.empty() ? "0" : heldBytes ? bytesText(heldBytes) + ": " : "";
    lines = held.empty()
                ? Lines{headed(line)}
                : listLines(view.style, line, holderItems(view, holders, holders.size() > 1));
  }
  auto listRules = [&](const char *title, const std::vector<std::string> &items) {
    if (items.empty())
      return;
    Lines more = listLines(view.style, title, items);
    lines.insert(lines.end(), more.begin(), more.end());
  };
  std::vector<std::string> unusedRules, exceeded;
  for (const profile::Suppression &rule : view.profile.suppressions) {
    std::string origin = rule.origin.substr(rule.origin.find_last_of('/') + 1);
    std::string text = printable(rule.rule, 50) + " (" + printable(origin, 40) + ")";
    if (rule.exceeded)
      exceeded.push_back(std::move(text));
    else if (!rule.used)
      unusedRules.push_back(std::move(text));
  }
  listRules("UNUSED suppressions: ", unusedRules);
  listRules("EXCEEDED suppressions: ", exceeded);
  return lines;
}

static Lines peakLines(const View &view) {
  std::vector<std::string> peaks;
  bool several = view.profile.devices.size() > 1;
  for (const profile::Device &device : view.profile.devices) {
    if (!device.peak_bytes)
      continue;
    std::string text = "peak " + bytesText(device.peak_bytes);
    if (device.memory_bytes)
      text += " of " + bytesText(device.memory_bytes);
    if (device.peak_at_ns)
      text += " at " + timeText(static_cast<double>(device.peak_at_ns));
    peaks.push_back(several ? text + " (GPU " + std::to_string(device.ordinal) + ")" : text);
  }
  if (peaks.empty())
    return {};
  std::vector<std::string> items = holderItems(view, view.profile.peak_holders);
  if (items.empty() || several) {
    Lines lines = listLines(view.style, "MEMORY   ", peaks);
    if (!items.empty()) {
      Lines more = listLines(view.style, "         held: ", items);
      lines.insert(lines.end(), more.begin(), more.end());
    }
    return lines;
  }
  return listLines(view.style, "MEMORY   " + peaks[0] + ": ", items);
}

Lines memoryLines(const View &view) {
  Lines lines = peakLines(view);
  if (!view.style.verbose)
    return lines;
  Lines table = allocationTable(view);
  if (lines.empty() && !table.empty())
    lines.push_back(headed("MEMORY   none of a device"));
  lines.insert(lines.end(), table.begin(), table.end());
  return lines;
}

} // namespace gpuinstr::report
