// Joins the rows of profiles with CUPTI's sums.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TOOLS_BENCH_TRUTH_ROWS_H
#define GPUINSTR_TOOLS_BENCH_TRUTH_ROWS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuinstr::bench {

/// One kind of device work in one run, all sites together.
struct TruthTotal {
  uint64_t count = 0;    ///< operations that the total stands for
  double totalNs = 0;    ///< device time
  double intervalNs = 0; ///< half of the 95 % interval; 0: exact
};
/// By kernel, or by operation and bytes as cupti-sums.cpp prints them.
using TruthRows = std::map<std::string, TruthTotal>;

/// From lines `NAME: COUNT TOTAL_NS`; others are passed over. False: there is none.
bool readSums(const std::string &text, TruthRows &rows);
/// From a profile (docs/profile.schema.json). Intervals of one kind at several sites are added:
/// they may err together. False: not a profile, or no device times in it.
bool readProfile(const std::string &json, TruthRows &rows);

struct TruthRow {
  std::string name;
  uint64_t count = 0;                     ///< operations a run
  double truthNs = 0, exactNs = 0;        ///< of one: CUPTI's mean; the mean error of exact mode
  std::vector<double> errorsNs, halvesNs; ///< of one, for each sampled run that has the row
  size_t covered = 0, absent = 0;         ///< runs
};

/// What the runs had to say.
class Truth {
public:
  void addTruth(const TruthRows &rows) { Truths.push_back(rows); }
  void addExact(const TruthRows &rows) { Exacts.push_back(rows); }
  void addSampled(const TruthRows &rows) { Sampled.push_back(rows); }
  /// Those that CUPTI has in all its runs with one count, which sampled runs have as well.
  std::vector<TruthRow> rows() const;
  /// Rows of CUPTI that rows() leaves out.
  std::vector<std::string> others() const;
  /// For each sampled run: the total of all rows whose name begins so, of CUPTI's mean total. Runs
  /// that lack one of them count it as 0.
  std::vector<double> sumRatios(const std::string &prefix) const;

private:
  /// CUPTI's mean. False: not the same count everywhere.
  bool meanOf(const std::string &name, const TruthTotal &first, TruthTotal &mean) const;
  std::vector<TruthRows> Truths, Exacts, Sampled;
};

} // namespace gpuinstr::bench

#endif
