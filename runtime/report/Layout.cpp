// What of each section is shown when a report's lines do not suffice: first a line of each proven
// finding, however many there are, then what stands below these, then likely findings, and what is
// left is shared by the tables.
// SPDX-License-Identifier: Apache-2.0
#include "report/Layout.h"
#include <algorithm>
#include <cstdint>

namespace gpuinstr::report {

namespace {

constexpr std::size_t NoLimit = SIZE_MAX / 2;
/// Of findings that do not count, beyond which the rest is a "more" line.
constexpr std::size_t MostNamed = 8;
constexpr std::size_t MostRows = 10; ///< of a table

/// A section, and how much of it is shown.
struct Plan {
  const Section *section;
  Contents contents;
  std::vector<bool> whole; ///< by group: with what stands below its first line
  std::size_t shown = 0;   ///< groups

  Fit fit() const { return section->fit; }
  std::size_t groups() const { return contents.rows.size(); }
  std::size_t fixed() const { return contents.head.size() + contents.note.size(); }
  bool hasMore() const { return shown < groups(); }
};

void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

std::vector<Plan> plansOf(const View &view) {
  Report report(view);
  std::vector<Plan> plans;
  for (const Section &section : sections())
    if (section.shown(report)) {
      Plan plan{&section, section.make(report), {}, 0};
      plan.whole.assign(plan.groups(), false);
      plans.push_back(std::move(plan));
    }
  return plans;
}

/// Lines that are still free.
class Room {
public:
  explicit Room(std::size_t lines) : Left(lines) {}
  bool take(std::size_t lines) {
    if (lines > Left)
      return false;
    Left -= lines;
    return true;
  }
  void takeAnyway(std::size_t lines) { Left -= std::min(Left, lines); }
  bool has(std::size_t lines) const { return Left >= lines; }

private:
  std::size_t Left;
};

/// What stands below the first lines, where all of it fits; of at most so many.
void planDetails(Plan &plan, Room &room, std::size_t most) {
  for (std::size_t i = 0; i < std::min(plan.shown, most); ++i)
    plan.whole[i] = room.take(plan.contents.rows[i].size() - 1);
}

/// As many as `most` findings, each with its first line at least, below the heading.
void planFindings(Plan &plan, Room &room, std::size_t most) {
  auto closing = [&](std::size_t shown) { return shown < plan.groups() ? 1u : 0u; };
  while (plan.shown < std::min(most, plan.groups()) && room.has(1 + closing(plan.shown + 1))) {
    room.take(1);
    ++plan.shown;
  }
  if (plan.shown)
    room.takeAnyway(closing(plan.shown));
  planDetails(plan, room, most);
}

/// Rows of all tables by turns, so that each has some.
void planTables(std::vector<Plan> &plans, Room &room, std::size_t most) {
  std::vector<Plan *> tables;
  for (Plan &plan : plans)
    if (plan.fit() == Fit::Table && plan.groups() &&
        room.take(plan.fixed() + std::min<std::size_t>(2, plan.groups()))) {
      plan.shown = 1; // with the line that says how many more there are, or with the second row
      tables.push_back(&plan);
    }
  for (Plan *plan : tables)
    if (plan->groups() == 2 && most > 1)
      plan->shown = 2;
  for (bool more = true; more;) {
    more = false;
    for (Plan *plan : tables) {
      if (!plan->hasMore() || plan->shown >= most)
        continue;
      bool last = plan->shown + 1 == plan->groups(); // takes the "more" line's place
      if (!last && !room.take(1))
        continue;
      ++plan->shown;
      more = true;
    }
  }
}

void planAll(std::vector<Plan> &plans, const ReportStyle &style) {
  bool limited = !style.verbose && !style.top;
  std::size_t named = style.verbose ? NoLimit : style.top ? style.top : MostNamed;
  std::size_t rows = style.verbose ? NoLimit : style.top ? style.top : MostRows;
  std::size_t details = style.top && !style.verbose ? style.top : NoLimit;
  Room room(limited ? style.maxLines : NoLimit);
  for (Plan &plan : plans) {
    if (plan.fit() == Fit::Whole)
      room.takeAnyway(plan.contents.head.size());
    if (plan.fit() == Fit::Findings && plan.groups())
      room.takeAnyway(plan.fixed());
    if (plan.fit() == Fit::Proven && plan.groups()) {
      plan.shown = plan.groups();
      room.takeAnyway(plan.fixed() + plan.groups());
    }
  }
  for (Plan &plan : plans)
    if (plan.fit() == Fit::Proven)
      planDetails(plan, room, details);
  for (Plan &plan : plans)
    if (plan.fit() == Fit::Findings)
      planFindings(plan, room, named);
  planTables(plans, room, rows);
}

void appendPlan(Lines &out, const Plan &plan) {
  const Contents &c = plan.contents;
  if (plan.fit() == Fit::Whole) {
    append(out, c.head);
    return;
  }
  // A heading of findings says how many there are.
  if (!plan.groups() || (!plan.shown && plan.fit() != Fit::Findings))
    return;
  append(out, c.head);
  if (!plan.shown)
    out.back().text += " (verbose=1)";
  for (std::size_t i = 0; i < plan.shown; ++i)
    if (plan.whole[i])
      append(out, c.rows[i]);
    else
      out.push_back(c.rows[i][0]);
  if (plan.shown && plan.hasMore())
    out.push_back({" ... " + std::to_string(plan.groups() - plan.shown) + " more (verbose=1)"});
  append(out, c.note);
}

} // namespace

Lines layOut(const View &view) {
  std::vector<Plan> plans = plansOf(view);
  planAll(plans, view.style);
  Lines out;
  for (const Plan &plan : plans)
    appendPlan(out, plan);
  return out;
}

} // namespace gpuinstr::report
