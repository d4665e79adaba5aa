// gpuinstr diff: what changed between two runs, and whether that fails a build.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "Diff.h"
#include "Files.h"
#include "report/Printable.h"
#include <CLI/CLI.hpp>
#include <memory>

namespace gpuinstr::cli {

namespace {

struct Options {
  std::string base, now, failOn;
  unsigned top = 10;
  double noiseMs = 1;
};

int run(const Options &options) {
  std::vector<Condition> conditions = parseConditions(options.failOn); // before any work
  profile::Profile base = loadAll({options.base}), now = loadAll({options.now});
  Diff diff = compareProfiles(base, now);
  double noise = options.noiseMs * 1e6;
  std::string out = "== gpuinstr diff: " + report::printable(options.base) + " > " +
                    report::printable(options.now) + "\n" + diffText(diff, options.top, noise);
  std::size_t failed = 0;
  for (const Condition &condition : conditions) {
    std::vector<std::string> lines = violations(diff, condition, noise);
    failed += !lines.empty();
    for (std::size_t i = 0; i < lines.size() && i < options.top; ++i)
      out += "FAIL " + condition.text + ": " + lines[i] + "\n";
    if (lines.size() > options.top)
      out +=
          "FAIL " + condition.text + ": " + std::to_string(lines.size() - options.top) + " more\n";
  }
  if (!conditions.empty())
    out += "RESULT " +
           (failed ? std::to_string(failed) + " of " +
                         report::plural(conditions.size(), "condition", "conditions") + " failed"
                   : std::string("all conditions hold")) +
           "\n";
  writeText("", out);
  return failed ? 1 : 0;
}

} // namespace

void addDiff(CLI::App &app, int &code) {
  auto options = std::make_shared<Options>();
  CLI::App *diff = app.add_subcommand(
      "diff", "What changed between two profiles; exit code 1 when --fail-on is met");
  diff->add_option("base", options->base, "Profile, or folder of profiles, to compare with")
      ->required();
  diff->add_option("new", options->now, "The new one")->required();
  diff->add_option("--fail-on", options->failOn,
                   "NAME[.FIELD]>VALUE, >+VALUE or >+N% against BASE, separated by commas: "
                   "leak>0,noop-copy.bytes>+0,site.host>+10%,site.device>+10%,process.peak>+100MB")
      ->type_name("CONDITIONS");
  diff->add_option("--noise", options->noiseMs,
                   "Times of a site that differ by less are equal, in ms (1)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("MS");
  diff->add_option("--top", options->top, "Rows of each table (10)")->type_name("N");
  diff->callback([options, &code] { code = run(*options); });
}

} // namespace gpuinstr::cli
