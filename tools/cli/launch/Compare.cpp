// What watching costs a program: two ways of running it, in pairs.
// SPDX-License-Identifier: Apache-2.0
#include "launch/Compare.h"
#include "base/text/Printable.h"
#include "base/text/SignalText.h"
#include "io/Failure.h"
#include "io/InstalledParts.h"
#include "io/Progress.h"
#include "statistics/Statistics.h"
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gpuinstr::cli {

namespace {

[[noreturn]] void becomeDiff(const std::string &path, std::vector<std::string> command,
                             const Environment &environment) {
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd : {0, 1, 2})
    ::dup2(nowhere, fd);
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  ::_exit(127);
}

struct Run {
  double ns; ///< of wall time
  int exitCode;
};

Run timed(const RunWay &way) {
  const std::string &name = way.command[0];
  std::string path = onPath(name);
  if (path.empty() || ::access(path.c_str(), X_OK) != 0)
    throw Failure(name + ": " + (path.empty() ? "not found on PATH" : std::strerror(errno)));
  auto start = std::chrono::steady_clock::now();
  pid_t child = ::fork();
  if (child == 0)
    becomeDiff(path, way.command, way.environment);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child)
    throw Failure(path + ": " + std::strerror(errno));
  std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  if (WIFSIGNALED(status))
    throw Failure(path + ": was killed by " + signalText(WTERMSIG(status)));
  return {took.count(), WEXITSTATUS(status)};
}

/// Runs that did not do the same cannot be compared.
void checkCodes(const Run &plain, const Run &instrumented, int &known, bool first) {
  if (plain.exitCode == 127 && instrumented.exitCode == 127)
    throw Failure("the program could not be started (exit code 127)");
  if (plain.exitCode != instrumented.exitCode)
    throw Failure("the runs differ: exit code " + std::to_string(plain.exitCode) + " plain, " +
                  std::to_string(instrumented.exitCode) + " instrumented");
  if (first)
    known = plain.exitCode;
  if (plain.exitCode != known)
    throw Failure("the runs differ: exit code " + std::to_string(known) + " at first, " +
                  std::to_string(plain.exitCode) + " later");
}

} // namespace

Comparison compareRuns(const RunWay &plain, const RunWay &instrumented, unsigned pairs) {
  Comparison out;
  Progress progress("run", 2 * (std::size_t(pairs) + 1));
  for (unsigned pair = 0; pair <= pairs; ++pair) {
    bool plainFirst = pair % 2 == 0;
    Run first = timed(plainFirst ? plain : instrumented);
    Run second = timed(plainFirst ? instrumented : plain);
    if (!plainFirst)
      std::swap(first, second);
    checkCodes(first, second, out.exitCode, pair == 0);
    progress.at(2 * (std::size_t(pair) + 1));
    if (pair == 0)
      continue; // files and libraries were still cold
    out.plain.push_back(first.ns);
    out.instrumented.push_back(second.ns);
  }
  return out;
}

std::string comparisonText(const Comparison &comparison) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < comparison.plain.size(); ++i)
    ratios.push_back(comparison.instrumented[i] / comparison.plain[i]);
  bench::Interval ratio = bench::medianInterval(ratios);
  auto percent = [](double value) { return 100 * (value - 1); };
  std::string code;
  if (comparison.exitCode)
    code = "exit code     " + std::to_string(comparison.exitCode) + " in all runs\n";
  char line[200];
  std::snprintf(line, sizeof line, "difference    %+.2f %% (%s %+.2f to %+.2f %%; %zu pairs)\n",
                percent(ratio.median), ratios.size() < 6 ? "all:" : "95 %:", percent(ratio.low),
                percent(ratio.high), ratios.size());
  // A wide interval on both sides of zero says nothing, however many digits its middle has.
  constexpr double WidePercent = 2;
  bool noisy = ratio.low < 1 && ratio.high > 1 && 100 * (ratio.high - ratio.low) > WidePercent;
  std::string verdict =
      noisy ? "too noisy to tell: more rounds (--pairs), or a quieter machine\n" : "";
  return "plain         " + timeText(bench::medianInterval(comparison.plain).median) +
         "\ninstrumented  " + timeText(bench::medianInterval(comparison.instrumented).median) +
         "\n" + code + line + verdict;
}

} // namespace gpuinstr::cli
