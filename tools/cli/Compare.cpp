// A program that was compiled plainly against the instrumented one, run in pairs.
// SPDX-License-Identifier: Apache-2.0
#include "Compare.h"
#include "Command.h"
#include "Files.h"
#include "Install.h"
#include "Statistics.h"
#include "report/Printable.h"
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void become(const std::string &path, std::vector<std::string> command,
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

/// ns of wall time.
double timed(const std::vector<std::string> &command, const Environment &environment) {
  std::string path = onPath(command[0]);
  if (path.empty() || ::access(path.c_str(), X_OK) != 0)
    throw Failure(command[0] + ": " + (path.empty() ? "not found on PATH" : std::strerror(errno)));
  auto start = std::chrono::steady_clock::now();
  pid_t child = ::fork();
  if (child == 0)
    become(path, command, environment);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child)
    throw Failure(path + ": " + std::strerror(errno));
  std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  if (WIFSIGNALED(status))
    throw Failure(path + ": ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw Failure(path + ": ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return took.count();
}

} // namespace

Comparison compareRuns(const std::vector<std::string> &plain,
                       const std::vector<std::string> &instrumented, unsigned pairs,
                       const Environment &environment) {
  Comparison out;
  Progress progress("run", 2 * (std::size_t(pairs) + 1));
  for (unsigned pair = 0; pair <= pairs; ++pair) {
    bool plainFirst = pair % 2 == 0;
    double first = timed(plainFirst ? plain : instrumented, environment);
    double second = timed(plainFirst ? instrumented : plain, environment);
    progress.at(2 * (std::size_t(pair) + 1));
    if (pair == 0)
      continue; // files and libraries were still cold
    out.plain.push_back(plainFirst ? first : second);
    out.instrumented.push_back(plainFirst ? second : first);
  }
  return out;
}

std::string comparisonText(const Comparison &comparison) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < comparison.plain.size(); ++i)
    ratios.push_back(comparison.instrumented[i] / comparison.plain[i]);
  bench::Interval ratio = bench::medianInterval(ratios);
  auto percent = [](double value) { return 100 * (value - 1); };
  char line[200];
  std::snprintf(line, sizeof line, "difference    %+.2f %% (%s %+.2f to %+.2f %%; %zu pairs)\n",
                percent(ratio.median), ratios.size() < 6 ? "all:" : "95 %:", percent(ratio.low),
                percent(ratio.high), ratios.size());
  return "plain         " + report::timeText(bench::medianInterval(comparison.plain).median) +
         "\ninstrumented  " +
         report::timeText(bench::medianInterval(comparison.instrumented).median) + "\n" + line;
}

} // namespace gpuinstr::cli
