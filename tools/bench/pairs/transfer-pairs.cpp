// Plain against instrumented transfers in one process, in interleaved pairs.
// SPDX-License-Identifier: Apache-2.0
//
// usage: transfer-pairs [PAIRS] [--at-most RATIO] [--only TEXT]
//   Each pair runs the same transfers of transfer-side.cu built plain and built with the plugin, in
//   an order that alternates. What the auditor does is GPUINSTR_OPTIONS's. Half of the process's
//   time is the plain side's, so that budget=1 is 2 % of the other half. A turn takes some
//   milliseconds; the largest get a third of the pairs. One line a workload: NAME: ratio median
//   [low, high] (95 %), us of a transfer or step. Exit code 1 when a median is above RATIO, 2 when
//   a call failed.
#include "TransferPairs.h"
#include "statistics/Statistics.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace gpuinstr::bench;

namespace {

using Turn = int (*TransferSide::*)(Workload &w, int count);

struct Case {
  const char *name;
  std::size_t bytes;
  bool pinned;
  Turn turn;
  int count; ///< transfers, steps or rounds of a turn
};

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr Case Cases[] = {
    {"pinned 4 KiB", 4 * KiB, true, &TransferSide::uploads, 3000},
    {"pinned 64 KiB", 64 * KiB, true, &TransferSide::uploads, 2000},
    {"pinned 1 MiB", MiB, true, &TransferSide::uploads, 300},
    {"pinned 16 MiB", 16 * MiB, true, &TransferSide::uploads, 25},
    {"pinned 256 MiB", 256 * MiB, true, &TransferSide::uploads, 2},
    {"pageable 4 KiB", 4 * KiB, false, &TransferSide::uploads, 1500},
    {"pageable 64 KiB", 64 * KiB, false, &TransferSide::uploads, 600},
    {"pageable 1 MiB", MiB, false, &TransferSide::uploads, 60},
    {"pageable 16 MiB", 16 * MiB, false, &TransferSide::uploads, 5},
    {"pageable 256 MiB", 256 * MiB, false, &TransferSide::uploads, 1},
    {"steps of 64 KiB", 64 * KiB, true, &TransferSide::steps, 200},
    {"steps of 1 MiB", MiB, true, &TransferSide::steps, 120},
    {"rounds that wait", 16 * KiB, false, &TransferSide::rounds, 1000},
};

void check(int error) {
  if (!error)
    return;
  std::fprintf(stderr, "transfer-pairs: CUDA error %d\n", error);
  std::exit(2);
}

double seconds(const TransferSide &side, Workload &w, const Case &c) {
  const auto start = std::chrono::steady_clock::now();
  check((side.*c.turn)(w, c.count));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double compare(const Case &c, int pairs) {
  const TransferSide sides[2] = {plainTransfers(), instrumentedTransfers()};
  // The same buffers for both: where they lie makes more of a difference than what is measured.
  Workload load;
  check(sides[1].make(load, c.bytes, c.pinned));
  if (c.bytes >= 64 * MiB)
    pairs /= 3;
  std::vector<double> ratios, times[2];
  constexpr int WarmUp = 3;
  for (int i = -WarmUp; i < pairs; ++i) {
    double both[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int side = (i & 1) ^ turn;
      both[side] = seconds(sides[side], load, c);
    }
    if (i < 0)
      continue;
    ratios.push_back(both[1] / both[0]);
    for (int side = 0; side < 2; ++side)
      times[side].push_back(both[side] / c.count * 1e6);
  }
  check(sides[1].drop(load));
  const Interval ratio = medianInterval(ratios);
  std::printf("%-17s %.4f [%.4f, %.4f]  %.2f us, instrumented %.2f us\n", c.name, ratio.median,
              ratio.low, ratio.high, medianInterval(times[0]).median,
              medianInterval(times[1]).median);
  std::fflush(stdout);
  return ratio.median;
}

} // namespace

int main(int argc, char **argv) {
  int pairs = 101;
  double atMost = 0, worst = 0;
  const char *only = "";
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--at-most") && i + 1 < argc)
      atMost = std::atof(argv[++i]);
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc)
      only = argv[++i];
    else
      pairs = std::atoi(argv[i]);
  }
  if (pairs < 3 || pairs > 1000) {
    std::fprintf(stderr, "transfer-pairs: PAIRS is 3 to 1000\n");
    return 2;
  }
  for (const Case &c : Cases)
    if (std::strstr(c.name, only))
      worst = std::max(worst, compare(c, pairs));
  return atMost > 0 && worst > atMost;
}
