// Plain against instrumented calls in one process, in interleaved pairs.
// SPDX-License-Identifier: Apache-2.0
//
// The noise between processes (context, clocks, placement) falls on both sides alike.
//
// usage: launch-pairs [PAIRS] [--only NAME] [--at-most RATIO] | --flat LAUNCHES
//   Each pair runs the same loop of launch-side.cu built plain and built with the plugin, in an
//   order that alternates. One line a loop: NAME: ratio median [low, high] (95 %, n pairs), ns a
//   call each. --only runs the loops whose name begins so. --flat prints what that many
//   instrumented launches add to the process's memory. Exit code 1 when the high end of launches is
//   above RATIO, 2 when a call failed.
#include "LaunchPairs.h"
#include "statistics/Statistics.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace gpuinstr::bench;

namespace {

double seconds(const std::function<int()> &loop) {
  const auto start = std::chrono::steady_clock::now();
  if (const int error = loop()) {
    std::fprintf(stderr, "launch-pairs: CUDA error %d\n", error);
    std::exit(2);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Interval compare(const char *name, int pairs, int calls,
                 const std::function<int(const Side &)> &loop) {
  std::vector<double> ratios, times[2];
  for (int i = -2; i < pairs; ++i) { // two pairs to warm up
    double both[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int side = (i & 1) ^ turn;
      both[side] = seconds([&] { return loop(side ? instrumented() : plain()); });
    }
    if (i < 0)
      continue;
    ratios.push_back(both[1] / both[0]);
    for (int side = 0; side < 2; ++side)
      times[side].push_back(both[side] / calls * 1e9);
  }
  const Interval ratio = medianInterval(ratios);
  std::printf(
      "%s: %.4f [%.4f, %.4f] (95 %%, %d pairs); plain %.0f ns, instrumented %.0f ns a call\n", name,
      ratio.median, ratio.low, ratio.high, pairs, medianInterval(times[0]).median,
      medianInterval(times[1]).median);
  std::fflush(stdout);
  return ratio;
}

struct Loop {
  const char *name;
  int calls;
  std::function<int(const Side &)> run;
};

const Loop Loops[] = {
    {"launches", 5000, [](const Side &s) { return s.launches(5000); }},
    {"pointer launches", 5000, [](const Side &s) { return s.steps(5000); }},
    {"8 threads launching", 8000, [](const Side &s) { return s.threads(8, 1000); }},
    {"cudaMalloc+cudaFree", 500, [](const Side &s) { return s.allocations(500); }},
    {"cudaMemcpyAsync 4 KiB", 2000, [](const Side &s) { return s.copies(2000, 4096); }},
    {"cudaMemcpyAsync 1 MiB", 200, [](const Side &s) { return s.copies(200, 1 << 20); }},
    {"captured launches", 2000, [](const Side &s) { return s.captures(2000); }},
};

/// Of this process, in kB.
long residentMemory() {
  long pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * 4;
}

/// What many launches add to it.
int flat(int launches) {
  if (instrumented().launches(100000))
    return 2;
  const long before = residentMemory();
  for (int done = 0; done < launches; done += 100000)
    if (instrumented().launches(100000))
      return 2;
  std::printf("memory: %ld kB before, %ld kB after %d launches\n", before, residentMemory(),
              launches);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  int pairs = 201;
  double atMost = 0;
  const char *only = "";
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--at-most") && i + 1 < argc)
      atMost = std::atof(argv[++i]);
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc)
      only = argv[++i];
    else if (!std::strcmp(argv[i], "--flat") && i + 1 < argc)
      return flat(std::atoi(argv[++i]));
    else
      pairs = std::atoi(argv[i]);
  }
  if (pairs < 30 || pairs > 1000) {
    std::fprintf(stderr, "launch-pairs: PAIRS is 30 to 1000\n");
    return 2;
  }
  bool above = false;
  for (const Loop &loop : Loops)
    if (!std::strncmp(loop.name, only, std::strlen(only))) {
      const Interval ratio = compare(loop.name, pairs, loop.calls, loop.run);
      above |= atMost > 0 && &loop == Loops && ratio.high > atMost;
    }
  return above;
}
