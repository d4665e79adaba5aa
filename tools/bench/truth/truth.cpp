// Device times that gpuinstr reports against CUPTI's, row by row.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-truth [-n RUNS] JSON SAMPLED EXACT CUPTI
//   Three commands for the shell: SAMPLED and EXACT write their profile to the file JSON, CUPTI
//   prints lines `NAME: COUNT TOTAL_NS` (cupti-sums.cpp). RUNS (100) runs of SAMPLED; before every
//   tenth one of each of the others. Prints for each row CUPTI's mean, the errors of both, half the
//   95 % interval that the sampled total states, and in how many runs the truth lay inside; last
//   the sum over the kernels named step_*.
//   Exit code 0; 1 when a row was covered in less than 90 % of the runs that have it, or the sum's
//   median is more than 2 % off; 2 when a command failed.
#include "statistics/Statistics.h"
#include "truth/TruthRows.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace gpuinstr::bench;

namespace {

constexpr int Every = 10; ///< runs of SAMPLED for one of the others
constexpr double LeastCovered = 0.9, MostOff = 0.02;

[[noreturn]] void fail(const char *what, const std::string &command) {
  std::fprintf(stderr, "truth: %s: %s\n", what, command.c_str());
  std::exit(2);
}

std::string outputOf(const std::string &command) {
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    fail("cannot start", command);
  std::string text;
  char part[4096];
  while (size_t n = std::fread(part, 1, sizeof part, pipe))
    text.append(part, n);
  if (pclose(pipe) != 0)
    fail("failed", command);
  return text;
}

TruthRows profileOf(const std::string &command, const std::string &path) {
  std::remove(path.c_str());
  outputOf(command);
  std::ifstream file(path);
  TruthRows rows;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!readProfile(text, rows))
    fail("no profile of", command);
  return rows;
}

/// Errors and intervals are of one operation, in us.
bool printRow(const TruthRow &row) {
  std::printf("%-42s %6" PRIu64 " %11.3f | %+8.3f | ", row.name.c_str(), row.count,
              row.truthNs / 1e3, row.exactNs / 1e3);
  if (row.errorsNs.empty()) {
    std::printf("no sample in any run\n");
    return true;
  }
  const Interval error = medianInterval(row.errorsNs), half = medianInterval(row.halvesNs);
  const auto [least, most] = std::minmax_element(row.errorsNs.begin(), row.errorsNs.end());
  std::printf("%+8.3f [%+.3f, %+.3f] | %8.3f | %zu of %zu", error.median / 1e3, *least / 1e3,
              *most / 1e3, half.median / 1e3, row.covered, row.errorsNs.size());
  if (row.absent)
    std::printf(", no sample in %zu", row.absent);
  std::printf("\n");
  return double(row.covered) >= LeastCovered * double(row.errorsNs.size());
}

} // namespace

int main(int argc, char **argv) {
  long runs = 100;
  if (argc > 2 && !std::strcmp(argv[1], "-n"))
    runs = std::atol(argv[2]), argv += 2, argc -= 2;
  if (argc != 5 || runs < 1) {
    std::fprintf(stderr, "usage: gpuinstr-bench-truth [-n RUNS] JSON SAMPLED EXACT CUPTI\n");
    return 2;
  }
  const std::string path = argv[1];
  Truth truth;
  for (long i = 0; i < runs; ++i) {
    if (i % Every == 0) {
      TruthRows sums;
      if (!readSums(outputOf(argv[4]), sums))
        fail("no sums of", argv[4]);
      truth.addTruth(sums);
      truth.addExact(profileOf(argv[3], path));
    }
    truth.addSampled(profileOf(argv[2], path));
  }
  std::printf("%-42s %6s %11s | %8s | %s\n", "us an operation", "count", "CUPTI", "exact",
              "sampled: error [least, most] | half of its 95 % | covered");
  bool good = true;
  for (const TruthRow &row : truth.rows())
    good &= printRow(row);
  for (const std::string &name : truth.others())
    std::printf("not compared, as the counts differ: %s\n", name.c_str());
  const std::vector<double> sums = truth.sumRatios("step_");
  if (sums.empty())
    fail("no kernels named step_ in", argv[2]);
  const Interval sum = medianInterval(sums);
  std::printf("sum over the kernels of the training step, sampled / CUPTI: %.4f [%.4f, %.4f], "
              "least %.4f, most %.4f\n",
              sum.median, sum.low, sum.high, *std::min_element(sums.begin(), sums.end()),
              *std::max_element(sums.begin(), sums.end()));
  good &= std::abs(sum.median - 1) <= MostOff;
  std::printf("%s\n", good ? "within the aims" : "NOT within the aims");
  return good ? 0 : 1;
}
