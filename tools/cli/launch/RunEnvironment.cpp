// gpuinstr run: starts an instrumented program with options, on the device or the simulator.
// SPDX-License-Identifier: Apache-2.0
#include "Run.h"
#include "Command.h"
#include "Compare.h"
#include "Files.h"
#include "Install.h"
#include "options/Options.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// key=value as GPUINSTR_OPTIONS wants it; its quotes know no escape.
std::string setting(const std::string &key, const std::string &value) {
  if (value.find('\'') != std::string::npos)
    throw Failure(key + ": a value cannot hold a single quote: " + value);
  bool plain = value.find_first_of(": \t\n") == std::string::npos;
  return key + "=" + (plain ? value : "'" + value + "'");
}

} // namespace

std::string optionsText(const RunOptions &options, const std::string &before) {
  std::vector<std::string> own;
  auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      own.push_back(setting(key, value));
  };
  add("json", options.json);
  add("trace", options.trace);
  add("report", options.report);
  add("fail_on", options.failOn);
  add("suppressions", options.suppressions);
  add("only", options.only);
  add("report_top", options.top ? std::to_string(options.top) : "");
  add("verbose", options.verbose ? "1" : "");
  for (const std::string &given : options.settings) {
    std::size_t sign = given.find('=');
    own.push_back(
        sign == std::string::npos ? given : setting(given.substr(0, sign), given.substr(sign + 1)));
  }
  std::string text = before;
  for (const std::string &one : own) {
    options::OptionSet check; // here it is a mistake; in the program it would be one line of many
    check.apply(one, options::Layer::Environment, "run");
    if (!check.problems().empty())
      throw Failure(check.problems()[0]);
    text += (text.empty() ? "" : ":") + one;
  }
  return text;
}

Environment environmentOf(const RunOptions &options) {
  Environment out;
  std::string text = optionsText(options, variable("GPUINSTR_OPTIONS"));
  if (!text.empty())
    out.emplace_back("GPUINSTR_OPTIONS", text);
  // The runtime that belongs to this program, unless somebody chose another.
  std::string runtime = options.runtime;
  if (runtime.empty() && variable("GPUINSTR_RUNTIME").empty())
    runtime = runtimeLibrary();
  if (!runtime.empty())
    out.emplace_back("GPUINSTR_RUNTIME", runtime);
  if (options.simulate) {
    std::string folder = simulatorFolder(), paths = variable("LD_LIBRARY_PATH");
    if (folder.empty())
      throw Failure("--simulate: this gpuinstr was built without the simulator");
    out.emplace_back("LD_LIBRARY_PATH", paths.empty() ? folder : folder + ":" + paths);
  }
  return out;
}

namespace {

/// The program takes this one's place: process id, signals, terminal and exit code are its own. The
/// runtime in it prints the report.
[[noreturn]] void start(const RunOptions &options, const std::vector<std::string> &program) {
  std::string path = onPath(program[0]);
  if (path.empty())
    throw Failure(program[0] + ": not found on PATH");
  for (const auto &[name, value] : environmentOf(options))
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> arguments;
  for (const std::string &argument : program)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  throw Failure(path + ": " + std::strerror(errno));
}

/// --compare=20 is a number of rounds, anything else a program.
void takeRounds(RunOptions &options) {
  const std::string &text = options.compare;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    return;
  options.pairs = text.size() < 8 ? unsigned(std::stoul(text)) : 0;
  if (options.pairs < 1 || options.pairs > 1000000)
    throw Failure("--compare=" + text + ": rounds are from 5 to 1000000");
  options.compare.clear();
}

void runComparison(RunOptions &options, const std::vector<std::string> &program) {
  takeRounds(options);
  Environment with = environmentOf(options), without = with;
  std::vector<std::string> plain = program;
  if (!options.compare.empty()) {
    plain[0] = options.compare;
  } else {
    constexpr unsigned FewestRounds = 5; // of fewer no range says anything
    if (options.pairs < FewestRounds)
      throw Failure("--compare: at least 5 rounds");
    RunOptions off = options;
    off.settings.push_back("enabled=0");
    without = environmentOf(off);
  }
  writeText("", comparisonText(compareRuns({plain, without}, {program, with}, options.pairs)));
}

} // namespace

void addRun(CLI::App &app, int &code, const std::vector<std::string> &program) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *run = app.add_subcommand(
      "run", "Runs a program: gpuinstr run [options] -- ./app ...; the exit code is the program's");
  run->add_flag("--simulate", options->simulate,
                "On the simulated device: no GPU needed. Kernels that carry no host code "
                "(nvcc's) are refused; GPUINSTR_SIM=kernels=skip lets them pass without effect");
  run->add_option("--json", options->json, "Write the profile here (%p pid, %r rank, %h host)")
      ->type_name("PATH");
  run->add_option("--trace", options->trace,
                  "Write an event trace here, for gpuinstr trace; patterns as for --json")
      ->type_name("PATH");
  run->add_option("--report", options->report, "Where the report goes: stderr, off or a path")
      ->type_name("PATH");
  run->add_option("--fail-on", options->failOn,
                  "Exit code 23 when one of these is proven: leak,double-free, bugs")
      ->type_name("NAMES");
  run->add_option("--suppressions", options->suppressions, "Rules for known findings")
      ->type_name("FILE");
  run->add_option("--only", options->only, "Time and report only sites that match")
      ->type_name("GLOB");
  run->add_option("--top", options->top, "Rows of each table")->type_name("N");
  run->add_flag("-v,--verbose", options->verbose, "Everything, without the limit of 40 lines");
  run->add_option("--set", options->settings, "Any option of GPUINSTR_OPTIONS; can be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run->add_option("--runtime", options->runtime, "Another libgpuinstr_rt.so")->type_name("PATH");
  CLI::Option *compare =
      run->add_option("--compare", options->compare,
                      "Measure what watching costs: the program against itself with enabled=0, or "
                      "against PLAIN, which was compiled without the plugin, in turns")
          ->type_name("[ROUNDS|PLAIN]")
          ->expected(0, 1);
  run->add_option("--pairs", options->pairs, "Rounds of --compare (31)")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  run->callback([options, compare, &program, &code] {
    if (program.empty())
      throw Failure("run: no program given: gpuinstr run [options] -- ./app ...");
    options->comparing = compare->count() != 0;
    if (options->comparing) {
      runComparison(*options, program);
      code = 0;
      return;
    }
    start(*options, program);
  });
}

} // namespace gpuinstr::cli
