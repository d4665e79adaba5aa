// Runs two commands in interleaved pairs and prints the median ratio of their times.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-pairs [-n PAIRS] [--wall|--cpu] [--at-most RATIO] NAME COMMAND-A COMMAND-B
//   Each command goes to the shell and prints a line `seconds: X` on stdout. With --wall the time
//   that the command takes counts instead, with --cpu the processor time of it and its children,
//   which other load on the machine disturbs less. One pair is run first and not counted. The order
//   within a pair alternates, so that a drift of the machine falls on both alike. Prints one line:
//   NAME: B/A median [low, high] (95 %, n pairs), A and B in seconds. Exit code 0; 1 when the
//   median is above --at-most; 2 when a command failed or printed no time.
#include "statistics/Statistics.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace gpuinstr::bench;

namespace {

enum class Measure { Printed, Wall, Cpu };

struct Settings {
  unsigned long pairs = 31;
  Measure measure = Measure::Printed;
  double atMost = 0; // 0: no limit
  std::string name, commands[2];
};

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "gpuinstr-bench-pairs: %s\n", what.c_str());
  std::exit(2);
}

Settings parse(int argc, char **argv) {
  Settings s;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (!std::strcmp(argv[i], "--wall"))
      s.measure = Measure::Wall;
    else if (!std::strcmp(argv[i], "--cpu"))
      s.measure = Measure::Cpu;
    else if (!std::strcmp(argv[i], "-n") && i + 1 < argc)
      s.pairs = std::strtoul(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--at-most") && i + 1 < argc)
      s.atMost = std::strtod(argv[++i], nullptr);
    else
      fail(std::string("unknown option ") + argv[i]);
  }
  if (argc - i != 3 || s.pairs == 0)
    fail("usage: [-n PAIRS] [--wall|--cpu] [--at-most RATIO] NAME COMMAND-A COMMAND-B");
  s.name = argv[i];
  s.commands[0] = argv[i + 1];
  s.commands[1] = argv[i + 2];
  return s;
}

/// Processor seconds of all children that have ended.
double childrenSeconds() {
  rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/// Seconds that one run of `command` took.
double run(const std::string &command, Measure measure) {
  const double cpuBefore = childrenSeconds();
  const auto start = std::chrono::steady_clock::now();
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    fail("cannot start " + command);
  double printed = -1;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe))
    if (!std::strncmp(line, "seconds:", 8))
      printed = std::strtod(line + 8, nullptr);
  if (pclose(pipe) != 0)
    fail("failed: " + command);
  if (measure == Measure::Cpu)
    return childrenSeconds() - cpuBefore;
  if (measure == Measure::Wall)
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (printed <= 0)
    fail("printed no `seconds:` line: " + command);
  return printed;
}

} // namespace

int main(int argc, char **argv) {
  const Settings s = parse(argc, argv);
  std::vector<double> times[2], ratios;
  for (unsigned long pair = 0; pair <= s.pairs; ++pair) {
    double t[2];
    const int first = pair % 2;
    t[first] = run(s.commands[first], s.measure);
    t[1 - first] = run(s.commands[1 - first], s.measure);
    if (pair == 0)
      continue;
    times[0].push_back(t[0]);
    times[1].push_back(t[1]);
    ratios.push_back(t[1] / t[0]);
  }
  const Interval ratio = medianInterval(ratios);
  std::printf("%s: %.4f [%.4f, %.4f] (95 %%, %lu pairs; %.4f s against %.4f s)\n", s.name.c_str(),
              ratio.median, ratio.low, ratio.high, s.pairs, medianInterval(times[1]).median,
              medianInterval(times[0]).median);
  return s.atMost > 0 && ratio.median > s.atMost ? 1 : 0;
}
