// Totals from samples: strata by sampling stride, with a 95 % interval.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_TOTALS_ESTIMATE_H
#define GPUINSTR_TIME_SAMPLED_TOTALS_ESTIMATE_H

#include <cstdint>

namespace gpuinstr::timing {

/// Operations that were made while one in 2^level was timed.
constexpr unsigned Levels = 20;

/// The samples of one level. Plain sums in double: device times of up to hours keep ns.
struct LevelSums {
  uint64_t samples = 0;
  double sum = 0, squares = 0;
  double host = 0, hostSquares = 0, products = 0; ///< of what the calls took of the host

  void add(double ns, double hostNs = 0) {
    ++samples;
    count(ns, hostNs, 1);
  }
  void remove(double ns, double hostNs) {
    --samples;
    count(ns, hostNs, -1);
  }

private:
  void count(double ns, double hostNs, double sign) {
    sum += sign * ns;
    squares += sign * ns * ns;
    host += sign * hostNs;
    hostSquares += sign * hostNs * hostNs;
    products += sign * ns * hostNs;
  }
};

/// What was timed of one kind of operation.
struct Samples {
  LevelSums levels[Levels];
  uint64_t number = 0; ///< of all levels: they fill many cache lines
  double minNs = 0, maxNs = 0;
  double doubtNs = 0; ///< sum over the samples of what the event pair itself leaves open

  void add(unsigned level, double ns, double doubt, double hostNs = 0);
  void add(const Samples &others);
  /// An operation that took the device no time; the least and the most stay.
  void addNothing(unsigned level);
  /// One that was added; the least and the most stay.
  void remove(unsigned level, double ns, double doubt, double hostNs = 0);
  uint64_t count() const { return number; }
};

struct Estimate {
  double count = 0;   ///< operations that the total stands for
  double totalNs = 0; ///< of all of them
  double ciNs = 0;    ///< half of the 95 % interval of totalNs
  double meanNs = 0, stddevNs = 0;
};

/// What all calls of a site took of the host; calls 0: not known, or they did several kinds of
/// work.
struct HostTimes {
  uint64_t calls = 0;
  double ns = 0;
};

/// `made[l]`: operations made at level l, of which `all` were timed; `part` are the samples of one
/// kind among them (the same object when there is but one kind). Levels without a sample borrow the
/// mean of the others. No sample at all: zeros.
///
/// Where a call takes the longer of the host the longer its work takes, as copies of pageable
/// memory do, what all calls took tells of those that were not timed: a regression estimate.
Estimate estimate(const uint64_t (&made)[Levels], const Samples &all, const Samples &part,
                  HostTimes host = {});

/// Two-sided 95 % point of Student's t.
double studentT(double degrees);

} // namespace gpuinstr::timing

#endif
