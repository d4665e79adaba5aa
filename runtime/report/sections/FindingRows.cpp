// Findings as rows, and their totals.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

namespace gpuinstr::report {

using profile::Finding;
using profile::FindingClass;
using profile::Grade;
using profile::Pattern;
using profile::Site;

static bool isWaste(const Finding &finding) {
  return profile::findingKind(finding.pattern).cls == FindingClass::Waste;
}

static FindingList ofGrade(const View &view, Grade grade, bool bugs, bool waste) {
  FindingList list;
  for (const Finding &finding : view.profile.findings) {
    FindingClass cls = profile::findingKind(finding.pattern).cls;
    bool wanted = (bugs && cls == FindingClass::Bug) || (waste && cls == FindingClass::Waste);
    if (finding.grade == grade && !finding.suppressed && wanted)
      list.push_back(&finding);
  }
  return byImportance(std::move(list));
}

FindingList provenBugs(const View &view) { return ofGrade(view, Grade::Proven, true, false); }
FindingList provenWaste(const View &view) { return ofGrade(view, Grade::Proven, false, true); }
FindingList likelyOnes(const View &view) { return ofGrade(view, Grade::Likely, true, true); }
FindingList adviceOnes(const View &view) { return ofGrade(view, Grade::Advice, false, true); }

FindingList dearOnes(const View &view) {
  // Of a very short run, what one wait takes by chance is 5 % as well.
  constexpr uint64_t Part = 20, LeastNs = 10'000'000;
  const uint64_t least = std::max(view.profile.process.wall_ns / Part, LeastNs);
  FindingList dear;
  for (const Finding *finding : adviceOnes(view))
    if (finding->cost_ns >= least)
      dear.push_back(finding);
  return dear;
}

uint64_t costOf(const FindingList &findings) {
  // A copy that is a noop-copy and a dead-copy takes its time once.
  std::map<std::string_view, uint64_t> bySite;
  for (const Finding *finding : findings) {
    uint64_t &most = bySite[finding->site];
    most = std::max(most, finding->cost_ns);
  }
  uint64_t sum = 0;
  for (auto &entry : bySite)
    sum += entry.second;
  return sum;
}

FindingList ofPattern(const View &view, Pattern pattern) {
  FindingList list;
  for (const Finding &finding : view.profile.findings)
    if (finding.pattern == pattern && !finding.suppressed)
      list.push_back(&finding);
  return byImportance(std::move(list));
}

std::size_t bugsIn(const FindingList &findings) {
  // What one caller's line leaks under two names are two: nvcc's lines have no columns to tell.
  using Names = std::set<std::string_view>;
  std::map<std::tuple<Pattern, std::string_view, std::string>, std::map<std::string_view, Names>>
      lines;
  for (const Finding *finding : findings) {
    const Pattern pattern = finding->pattern.value();
    lines[{pattern, finding->site, finding->memory.text()}][finding->caller].insert(
        pattern == Pattern::Leak ? finding->variable : std::string_view());
  }
  std::size_t bugs = 0;
  for (const auto &line : lines) {
    std::size_t most = 0;
    for (const auto &caller : line.second)
      most = std::max(most, caller.second.size());
    bugs += most;
  }
  return bugs;
}

std::string amountText(uint64_t bytes, uint64_t count, bool estimated) {
  std::string mark = estimated ? "~" : "", times = "x" + mark + std::to_string(count);
  return bytes ? mark + bytesText(bytes) + " " + times : times;
}

std::vector<std::string> totalsByPattern(const FindingList &findings, bool amounts) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < findings.size();) {
    const profile::Named<Pattern> &pattern = findings[i]->pattern;
    uint64_t times = 0, bytes = 0;
    bool estimated = false;
    FindingList same;
    for (; i < findings.size() && findings[i]->pattern == pattern; ++i) {
      same.push_back(findings[i]);
      times += findings[i]->count;
      bytes += findings[i]->bytes;
      estimated |= findings[i]->counted != 0;
    }
    bool waste = isWaste(*same.front());
    const uint64_t places = waste ? same.size() : bugsIn(same);
    std::string item =
        plural(places, printable(pattern.text()), profile::findingKind(pattern).plural);
    std::string repeats = times > places && !waste ? "x" + std::to_string(times) : "";
    std::string amount = bytes ? (estimated ? "~" : "") + bytesText(bytes) : "";
    amount += (amount.empty() || repeats.empty() ? "" : ", ") + repeats;
    if (uint64_t cost = waste ? costOf(same) : 0)
      amount += (amount.empty() ? "<=" : ", <=") + timeText(static_cast<double>(cost));
    if (amounts && !amount.empty())
      item += " (" + amount + ")";
    items.push_back(std::move(item));
  }
  return items;
}

namespace {

/// One finding's cells.
struct FindingRow {
  std::string id, amount, variable, type, place, function;
  std::string cost; ///< "<=152 ms", never cut
  /// In place of variable and type: `to` and `from` with `link` between, then `end`. Only names may
  /// lose their middle.
  std::string to, link, from, end;

  bool spans() const { return !(to + link + from + end).empty(); }
  std::string what() const { return to + link + from + end; }
};

bool isMemory(const Finding &finding) {
  return finding.pattern == Pattern::Leak || finding.pattern == Pattern::HeldAtExit;
}

/// "float[1048576]", "float[64] pinned", "stream".
std::string typeText(const Finding &finding) {
  std::string text = printable(finding.type);
  if (!text.empty() && finding.elements)
    text += "[" + std::to_string(finding.elements) + "]";
  bool handle = finding.bytes == 0;
  if (text.empty() || handle)
    return printable(finding.memory.text());
  bool plain = finding.memory.empty() || finding.memory == profile::Resource::Device;
  return plain ? text : text + " " + printable(finding.memory.text());
}

/// "d_weights <- h_weights H2D".
void setTransfer(FindingRow &row, const Finding &finding) {
  row.to = printable(finding.variable);
  row.from = printable(finding.source);
  row.link = row.from.empty() ? "" : row.to.empty() ? "<- " : " <- ";
  row.end = ((row.to + row.link).empty() ? "" : " ") + finding.direction.text();
}

FindingRow makeRow(const View &view, const Finding &finding) {
  FindingRow row;
  const Site *site = view.site(finding.site), *shown = view.shown(finding);
  row.id = printable(finding.pattern.text());
  row.amount = amountText(finding.bytes, finding.count, finding.counted != 0);
  row.place = view.place(shown);
  row.function = shown ? printable(shown->function) : "";
  std::string callee = site ? printable(site->callee) : "";
  if (isWaste(finding) && finding.cost_ns)
    row.cost = "<=" + timeText(static_cast<double>(finding.cost_ns));
  if (!finding.direction.empty()) {
    setTransfer(row, finding);
  } else if (isMemory(finding)) {
    row.variable = finding.variable.empty() ? "(no variable)" : printable(finding.variable);
    row.type = typeText(finding);
  } else if (!finding.error.empty()) {
    // Of a free, the variable is the fact to start from; the error says the same in each row.
    bool ofMemory =
        finding.pattern == Pattern::DoubleFree || finding.pattern == Pattern::InvalidFree;
    if (ofMemory && !finding.variable.empty()) {
      row.variable = printable(finding.variable);
      row.type = callee;
      return row;
    }
    row.to = printable(finding.error);
    row.link = callee.empty() ? "" : " from ";
    row.from = callee;
  } else {
    row.variable = printable(finding.variable);
    row.type = callee;
  }
  return row;
}

/// Widths of id, amount, variable, type, place, function that all rows share.
std::vector<std::size_t> sharedWidths(const std::vector<FindingRow> &rows, std::size_t columns) {
  std::vector<std::size_t> widths(6, 0);
  widths[0] = 13;
  widths[1] = 10;
  std::size_t cost = 0;
  for (const FindingRow &row : rows) {
    const std::string *cells[] = {&row.id,   &row.amount, &row.variable,
                                  &row.type, &row.place,  &row.function};
    bool spans = row.spans();
    for (unsigned i = 0; i < 6; ++i)
      if (!spans || i < 2)
        widths[i] = std::max(widths[i], displayWidth(*cells[i]));
    if (!spans && !row.cost.empty())
      cost = std::max(cost, displayWidth(row.cost) + 2);
  }
  // Numbers that lack their middle say nothing, nor does half an id.
  const std::size_t kept = 1 + cost + widths[0] + 2 + widths[1] + 2;
  const std::size_t left = columns > kept + 24 ? columns - kept : 24;
  // The function is the first to give way: the line says where as well.
  constexpr std::size_t LeastFunction = 10, Gaps = 6;
  std::size_t needed = widths[2] + widths[3] + widths[4] + widths[5] + Gaps;
  if (needed > left && widths[5] > LeastFunction)
    widths[5] -= std::min(needed - left, widths[5] - LeastFunction);
  std::vector<std::size_t> names = fitWidths({widths.begin() + 2, widths.end()}, left);
  std::copy(names.begin(), names.end(), widths.begin() + 2);
  return widths;
}

/// Variables that are too long keep as much of their ends as it takes to tell them apart.
void shortenVariables(std::vector<FindingRow> &rows, std::size_t width) {
  std::vector<std::string> names;
  for (const FindingRow &row : rows)
    names.push_back(row.spans() ? "" : row.variable);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (displayWidth(names[i]) <= width || width < 8)
      continue;
    for (std::size_t tail = (width - 3) / 2; tail <= width - 3; ++tail) {
      std::string told = shorten(names[i], width, tail);
      if (std::any_of(names.begin(), names.end(), [&](const std::string &other) {
            return other != names[i] && shorten(other, width, tail) == told;
          }))
        continue;
      rows[i].variable = told;
      break;
    }
  }
}

std::string joinCells(const View &view, const std::vector<std::string> &cells,
                      const std::vector<std::size_t> &widths) {
  std::string line = " ";
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i ? "  " : "") + padRight(view.shortened(cells[i], widths[i]), widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// "conductivity" of "this->conductivity.get()" and of "(conductivity).get()": what tells most of a
/// name that is too long.
std::string withoutAccessor(std::string name) {
  for (std::string_view accessor : {".get()", ".data()", "->get()", "->data()", ".begin()"})
    if (name.size() > accessor.size() &&
        name.compare(name.size() - accessor.size(), accessor.size(), accessor) == 0)
      name.resize(name.size() - accessor.size());
  // nvcc puts what it has rewritten into brackets.
  bool plain = name.find_first_of("()", 1) == name.size() - 1;
  if (plain && name.size() > 2 && name.front() == '(')
    name = name.substr(1, name.size() - 2);
  constexpr std::string_view Own = "this->";
  return name.size() > Own.size() && name.compare(0, Own.size(), Own) == 0 ? name.substr(Own.size())
                                                                           : name;
}

/// "operator()", "operator[]": says nothing without the class.
bool isOperator(const std::string &name) {
  constexpr std::string_view Word = "operator";
  return name.compare(0, Word.size(), Word) == 0 && name.size() > Word.size() &&
         !std::isalnum(static_cast<unsigned char>(name[Word.size()])) && name[Word.size()] != '_';
}

/// "advance" of "Plate::advance": better than a name without its middle.
std::string withoutScope(const std::string &function) {
  std::size_t start = 0, scope = 0;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < function.size(); ++i) {
    depth += (function[i] == '<') - (function[i] == '>');
    if (!depth && function[i] == ':' && function[i + 1] == ':') {
      scope = start;
      start = i + 2;
    }
  }
  std::string name = function.substr(start);
  if (isOperator(name))
    return function.substr(scope);
  return name == "lambda" ? function : name;
}

/// What stands in the place of variable and type takes what the names beside it leave.
std::string spanningRow(const View &view, const FindingRow &row, const std::vector<std::size_t> &w,
                        std::size_t columns) {
  std::size_t fixed = 1 + w[0] + 2 + w[1] + 2 + displayWidth(row.link) + displayWidth(row.end) + 2 +
                      2 + (row.cost.empty() ? 0 : 2 + displayWidth(row.cost));
  constexpr std::size_t Gaps = 6; // fitWidths() puts two blanks between
  std::size_t left = columns > fixed + 24 ? columns - fixed : 24;
  std::string to = row.to, from = row.from, function = row.function;
  auto namesWidth = [&] {
    return displayWidth(to) + displayWidth(from) + displayWidth(row.place + function);
  };
  if (namesWidth() > left)
    to = withoutAccessor(to), from = withoutAccessor(from);
  if (namesWidth() > left)
    function = withoutScope(function);
  // The function is the first to give way: the line says where as well.
  constexpr std::size_t LeastFunction = 10;
  std::size_t room = displayWidth(function), over = namesWidth();
  over -= std::min(over, left);
  if (room > LeastFunction)
    room -= std::min(over, room - LeastFunction);
  std::vector<std::size_t> names =
      fitWidths({displayWidth(to), displayWidth(from), displayWidth(row.place), room}, left + Gaps);
  std::string what = shorten(to, names[0]) + row.link + shorten(from, names[1]) + row.end;
  std::size_t span = displayWidth(what), shared = w[2] + w[3] ? w[2] + 2 + w[3] : 0;
  // In line with the other rows where there is room for it.
  std::size_t used = fixed + names[2] + names[3] + span - displayWidth(row.link + row.end);
  if (shared > span && used + shared - span <= columns)
    span = shared;
  return joinCells(view, {row.id, row.amount, what, row.place, function, row.cost},
                   {w[0], w[1], span, names[2], names[3], displayWidth(row.cost)});
}

std::string formatRow(const View &view, const FindingRow &row, const std::vector<std::size_t> &w,
                      std::size_t columns) {
  if (row.spans())
    return shorten(spanningRow(view, row, w, columns), columns);
  std::vector<std::size_t> widths = w;
  widths.push_back(displayWidth(row.cost));
  std::string function = row.function;
  if (displayWidth(function) > w[5])
    function = withoutScope(function);
  return joinCells(
      view, {row.id, row.amount, row.variable, row.type, row.place, function, row.cost}, widths);
}

std::string relatedLabel(Pattern pattern, const Site &related) {
  switch (pattern) {
  case Pattern::Leak: // a variable that has the address from memory that lay there before
    return "or held by " + (related.variable.empty() ? "what" : printable(related.variable)) +
           ", allocated at ";
  case Pattern::DoubleFree:
    return "first freed at ";
  case Pattern::CopyAfterFree:
    return "freed at ";
  case Pattern::OutOfBoundsCopy:
    return "allocated at ";
  default:
    return "see ";
  }
}

std::string placeAndFunction(const View &view, const Site *site) {
  return view.place(site) +
         (site->function.empty() ? std::string() : " " + printable(site->function));
}

/// "called from a.cu:7 f, b.cu:9 main": the nearest first.
std::string callersText(const View &view, const Site *caller) {
  constexpr unsigned Most = 4; // no call has more; a damaged profile might go round in circles
  std::string text;
  for (unsigned i = 0; caller && i < Most; ++i, caller = view.site(caller->caller))
    text += (text.empty() ? "called from " : ", ") + placeAndFunction(view, caller);
  return text;
}

/// "via a.h:7 Tensor::Tensor, b.h:9 Buffer::Buffer": from the row's line on to the CUDA call.
std::string viaText(const View &view, const Site &site) {
  std::string text;
  for (const std::string &id : site.via)
    if (const Site *between = view.site(id))
      text += (text.empty() ? "via " : ", ") + placeAndFunction(view, between);
  return text;
}

/// What stands below the row: the wrapper's own line, the second place, the message, the fix.
void addDetails(const View &view, const Finding &finding, std::size_t indent, Group &group) {
  auto add = [&](const std::string &text) {
    for (Line &line : wrappedLines(view, indent, text))
      group.push_back(std::move(line));
  };
  const Site *site = view.site(finding.site), *caller = view.site(finding.caller);
  if (site && site != view.shown(finding)) {
    add("via " + placeAndFunction(view, site));
    caller = caller ? view.site(caller->caller) : nullptr;
  } else if (site && !site->via.empty()) {
    add(viaText(view, *site));
  }
  if (site && caller)
    add(callersText(view, caller));
  // The message of these tells what no column does: how far, what the address was, and of an
  // ignored error what would be right.
  bool telling =
      finding.pattern == Pattern::OutOfBoundsCopy || finding.pattern == Pattern::InvalidFree ||
      (finding.pattern == Pattern::IgnoredError && finding.message.find("; ") != std::string::npos);
  bool waste = isWaste(finding), hasFix = waste && finding.grade != Grade::Likely;
  bool message = !finding.message.empty() && (view.style.verbose || telling || waste);
  const Site *related = view.site(finding.related);
  if (related && !message)
    add(relatedLabel(finding.pattern.value(), *related) + placeAndFunction(view, related) +
        (related->via.empty() ? "" : ", " + viaText(view, *related)));
  if (message)
    add(printable(finding.message));
  if (!finding.fix.empty() && (view.style.verbose || hasFix))
    add("fix: " + printable(finding.fix));
}

} // namespace

std::vector<Group> findingRows(const View &view, const FindingList &findings) {
  std::vector<FindingRow> rows;
  rows.reserve(findings.size());
  for (const Finding *finding : findings)
    rows.push_back(makeRow(view, *finding));
  std::vector<std::size_t> widths = sharedWidths(rows, view.style.columns);
  shortenVariables(rows, widths[2]);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Group group{{formatRow(view, rows[i], widths, view.style.columns)}};
    addDetails(view, *findings[i], std::min<std::size_t>(1 + widths[0] + 2 + widths[1] + 2, 28),
               group);
    groups.push_back(std::move(group));
  }
  return groups;
}

} // namespace gpuinstr::report
