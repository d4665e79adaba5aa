// gpuinstr run: starts an instrumented program with options, on the device or the simulator.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/InstalledParts.h"
#include "launch/Compare.h"
#include "launch/RunEnvironment.h"
#include "launch/Watch.h"
#include "launch/Witness.h"
#include "lookup/EmbeddedSites.h"
#include "options/Options.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

bool carriesSites(const std::string &path) {
  try {
    return !embeddedModules(readText(path)).empty();
  } catch (const Failure &) {
    return true; // a script
  }
}

/// The folder of option spool as the program will see it; "": it wants none.
std::string spoolOf(const Environment &environment) {
  options::OptionSet set;
  for (const auto &[name, value] : environment)
    if (name == "GPUINSTR_OPTIONS")
      set.apply(value, options::Layer::Environment, "run");
  return set.values().spool == "off" || !set.values().enabled ? "" : set.values().spool;
}

/// The program takes this one's place: process id, signals, terminal and exit code are its own.
[[noreturn]] void become(const std::string &path, const std::vector<std::string> &program,
                         const Environment &environment) {
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> arguments;
  for (const std::string &argument : program)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  throw Failure(path + ": " + std::strerror(errno));
}

/// The runtime in the program prints the report; what dies before it can, is told here.
[[noreturn]] void start(RunOptions options, const std::vector<std::string> &program) {
  std::string path = onPath(program[0]);
  if (path.empty())
    throw Failure(program[0] + ": not found on PATH");
  Environment environment = environmentOf(options);
  std::string folder = spoolOf(environment);
  bool ours = folder == "auto" || folder.empty();
  if (folder == "auto") {
    folder = makeSpoolFolder();
    options.settings.push_back("spool=" + (folder.empty() ? "off" : folder));
    environment = environmentOf(options);
  }
  Watching watching;
  watching.folder = folder;
  watching.ownFolder = ours && !folder.empty();
  watching.mustWatch = mustWatch(options);
  watching.saysWhy = watching.mustWatch || !options.json.empty() ||
                     (options.attach && !folder.empty()); // else it would not take our place
  watching.attached = options.attach;
  watching.simulated = options.simulate;
  watching.carriesSites = carriesSites;
  if ((folder.empty() && !watching.saysWhy) || ::access(path.c_str(), X_OK) != 0)
    become(path, program, environment);
  watchProgram(path, program, environment, watching);
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

class RunCommand : public Command {
  RunOptions Options;
  std::unique_ptr<Option> Compare;

  void declare(OptionList &list) override {
    list.flag("--simulate", Options.simulate,
              "On the simulated device: no GPU needed. Kernels that carry no host code "
              "(nvcc's) are refused; GPUINSTR_SIM=kernels=skip lets them pass without effect");
    list.flag("--attach", Options.attach,
              "For programs that were not compiled with the plugin, Python's among them: the "
              "driver's calls are watched from outside");
    list.value("--json", Options.json, "PATH", "Write the profile here (%p pid, %r rank, %h host)");
    list.value("--trace", Options.trace, "PATH",
               "Write an event trace here, for gpuinstr trace; patterns as for --json");
    list.value("--report", Options.report, "PATH", "Where the report goes: stderr, off or a path");
    list.value("--fail-on", Options.failOn, "NAMES",
               "Exit code 23 when one of these is proven: leak,double-free, bugs; 2 when nothing "
               "was watched");
    list.value("--suppressions", Options.suppressions, "FILE", "Rules for known findings");
    list.value("--only", Options.only, "GLOB", "Time and report only sites that match");
    list.value("--top", Options.top, "N", "Rows of each table");
    list.flag("-v,--verbose", Options.verbose, "Everything, without the limit of 40 lines");
    list.repeated("--set", Options.settings, "KEY=VALUE",
                  "Any option of GPUINSTR_OPTIONS; can be repeated");
    list.value("--runtime", Options.runtime, "PATH", "Another libgpuinstr_rt.so");
    Compare = std::make_unique<Option>(
        list.value("--compare", Options.compare, "[ROUNDS|PLAIN]",
                   "Measure what watching costs: the program against itself with enabled=0, or "
                   "against PLAIN, which was compiled without the plugin, in turns"));
    Compare->valueIsOptional();
    list.value("--pairs", Options.pairs, "N", "Rounds of --compare (31)").between(1, 1000000);
  }

  int run(const Invocation &invocation) override {
    if (invocation.program.empty())
      throw Failure("run: no program given: gpuinstr run [options] ./app ...");
    Options.comparing = Compare->given();
    if (Options.simulate && hasStaticCudart(onPath(invocation.program[0])))
      throw Failure("--simulate: " + invocation.program[0] +
                    " holds CUDA's runtime itself: link it with -cudart shared (clang: -lcudart; "
                    "CMake: -DGPUINSTR_SIMULATE=ON)");
    if (!Options.comparing)
      start(Options, invocation.program);
    runComparison(Options, invocation.program);
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeRun() { return std::make_unique<RunCommand>(); }

} // namespace gpuinstr::cli
