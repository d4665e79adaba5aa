// gpuinstr diff: what changed between two runs, and whether that fails a build.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "commandline/Command.h"
#include "diff/Diff.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "merge/MergeFiles.h"
#include <cmath>

namespace gpuinstr::cli {

namespace {

class DiffCommand : public Command {
  std::string Base, New, FailOn;
  unsigned Top = 10;
  double NoiseMs = 1;
  std::unique_ptr<Option> Fails;

  void declare(OptionList &list) override {
    list.word("BASE", Base, "Profile, or folder of profiles, to compare with").required();
    list.word("NEW", New, "The new one").required();
    Fails = std::make_unique<Option>(list.value(
        "--fail-on", FailOn, "CONDITIONS",
        "NAME[.FIELD]>VALUE, >+VALUE or >+N% against BASE, separated by commas: "
        "leak>0,noop-copy.bytes>+0,site.host>+10%,site.device>+10%,process.peak>+100MB"));
    list.value("--noise", NoiseMs, "MS", "Times of a site that differ by less are equal, in ms (1)")
        .notNegative();
    list.value("--top", Top, "N", "Rows of each table (10)");
  }

  int run(const Invocation &) override {
    std::vector<Condition> conditions = parseConditions(FailOn); // before any work
    if (!std::isfinite(NoiseMs))
      throw Failure("--noise: a finite number of ms");
    // An empty variable of a build script would pass every build.
    if (Fails->given() && conditions.empty())
      throw Failure("--fail-on: no condition given");
    profile::Profile base = loadAll({Base}), now = loadAll({New});
    Diff diff = compareProfiles(base, now);
    double noise = NoiseMs * 1e6;
    std::string out = "== gpuinstr diff: " + printable(Base) + " > " + printable(New) + "\n" +
                      diffText(diff, Top, noise);
    std::size_t failed = 0;
    for (const Condition &condition : conditions) {
      std::vector<std::string> lines = violations(diff, condition, noise);
      failed += !lines.empty();
      for (std::size_t i = 0; i < lines.size() && i < Top; ++i)
        out += "FAIL " + condition.text + ": " + lines[i] + "\n";
      if (lines.size() > Top)
        out += "FAIL " + condition.text + ": " + std::to_string(lines.size() - Top) + " more\n";
    }
    if (!conditions.empty())
      out += "RESULT " + verdict(failed, conditions.size()) + "\n";
    writeText("", out);
    return failed ? 1 : 0;
  }

  static std::string verdict(std::size_t failed, std::size_t all) {
    if (!failed)
      return "all conditions hold";
    return std::to_string(failed) + " of " + plural(all, "condition", "conditions") + " failed";
  }
};

} // namespace

std::unique_ptr<Command> makeDiff() { return std::make_unique<DiffCommand>(); }

} // namespace gpuinstr::cli
