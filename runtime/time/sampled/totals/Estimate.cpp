// Totals from samples: strata by sampling stride, with a 95 % interval.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/Estimate.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::timing {

void Samples::add(unsigned level, double ns, double doubt, double hostNs) {
  bool first = count() == 0;
  minNs = first ? ns : std::min(minNs, ns);
  maxNs = first ? ns : std::max(maxNs, ns);
  levels[level].add(ns, hostNs);
  ++number;
  doubtNs += doubt;
}

void Samples::addNothing(unsigned level) {
  levels[level].add(0);
  ++number;
}

void Samples::add(const Samples &others) {
  if (others.count() == 0)
    return;
  bool first = count() == 0;
  minNs = first ? others.minNs : std::min(minNs, others.minNs);
  maxNs = first ? others.maxNs : std::max(maxNs, others.maxNs);
  doubtNs += others.doubtNs;
  number += others.number;
  for (unsigned l = 0; l < Levels; ++l) {
    levels[l].samples += others.levels[l].samples;
    levels[l].sum += others.levels[l].sum;
    levels[l].squares += others.levels[l].squares;
    levels[l].host += others.levels[l].host;
    levels[l].hostSquares += others.levels[l].hostSquares;
    levels[l].products += others.levels[l].products;
  }
}

void Samples::remove(unsigned level, double ns, double doubt, double hostNs) {
  levels[level].remove(ns, hostNs);
  --number;
  doubtNs -= doubt;
}

double studentT(double degrees) {
  if (degrees < 1)
    return 12.706;
  // Exact values first, then the Cornish-Fisher expansion, good to 0.1 % from there on.
  static constexpr double Small[] = {12.706, 4.303, 3.182, 2.776, 2.571};
  if (degrees < 5.5)
    return Small[int(degrees + 0.5) - 1];
  constexpr double Z = 1.959964;
  double z3 = Z * Z * Z, z5 = z3 * Z * Z;
  return Z + (z3 + Z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * Z) / (96 * degrees * degrees);
}

namespace {

/// Variance of single values of a kind, those of the other kinds counting as 0 where `n` exceeds
/// the kind's own samples.
double variance(double n, double sum, double squares) {
  return n > 1 ? std::max(0.0, (squares - sum * sum / n) / (n - 1)) : 0;
}

struct Pooled {
  double n = 0, sum = 0, squares = 0, own = 0;
};

Pooled pool(const Samples &all, const Samples &part) {
  Pooled p;
  for (unsigned l = 0; l < Levels; ++l) {
    p.n += double(all.levels[l].samples);
    p.own += double(part.levels[l].samples);
    p.sum += part.levels[l].sum;
    p.squares += part.levels[l].squares;
  }
  return p;
}

/// What the host's times of all calls add to the estimate of a kind that is the only one.
struct Regression {
  double total = 0;  ///< to be added to the total
  double spread = 0; ///< to be taken off its variance
};

/// `spread`: the variance of the total without it.
Regression byHost(const uint64_t (&made)[Levels], const Samples &all, double spread,
                  HostTimes host) {
  constexpr uint64_t LeastSamples = 16;
  constexpr double LeastShare = 0.5; ///< of the spread; less is as well left alone
  /// What is taken for a timed call differs from what is counted of all calls by our own part.
  constexpr double LeastHostNs = 50000;
  /// Long calls differ by more than short ones, and the slope is one of few samples: with these the
  /// interval holds what it promises (EstimateTest).
  constexpr double Doubt = 1.3, LeastLeft = 0.03;
  double population = 0, known = 0, common = 0, own = 0;
  for (unsigned l = 0; l < Levels; ++l) {
    const LevelSums &level = all.levels[l];
    const double n = double(level.samples), size = std::max(double(made[l]), n);
    if (size > 0 && n == 0)
      return {};
    if (n == 0)
      continue;
    population += size;
    known += size / n * level.host;
    if (n < 2)
      continue;
    const double weight = size * size / n * (1 - n / size) / (n - 1);
    common += weight * (level.products - level.sum * level.host / n);
    own += weight * (level.hostSquares - level.host * level.host / n);
  }
  // Calls that did no work of the kind, or that were made while nobody counted its work.
  const bool isSame = std::abs(double(host.calls) - population) <= 0.01 * population;
  if (!isSame || host.ns < LeastHostNs * double(host.calls) || all.count() < LeastSamples ||
      common <= 0 || own <= 0 || common * common < LeastShare * own * spread)
    return {};
  const double slope = common / own;
  return {slope * (host.ns * population / double(host.calls) - known),
          spread - std::max(Doubt * (spread - slope * common), LeastLeft * spread)};
}

} // namespace

Estimate estimate(const uint64_t (&made)[Levels], const Samples &all, const Samples &part,
                  HostTimes host) {
  Estimate e;
  Pooled pooled = pool(all, part);
  if (pooled.own == 0)
    return e;
  e.meanNs = pooled.sum / pooled.own;
  e.stddevNs = std::sqrt(variance(pooled.own, pooled.sum, pooled.squares));
  // A single sample says nothing at all of how others may differ: they may be as large again.
  double overall = pooled.n > 1 ? variance(pooled.n, pooled.sum, pooled.squares) : pooled.squares;
  double total = 0, spread = 0, freedom = 0, borrowed = 0;
  for (unsigned l = 0; l < Levels; ++l) {
    double n = double(all.levels[l].samples);
    double population = std::max(double(made[l]), n);
    if (population == 0)
      continue;
    if (n == 0) {
      borrowed += population;
      continue;
    }
    const LevelSums &own = part.levels[l];
    total += population / n * own.sum;
    e.count += population / n * double(own.samples);
    // One sample says nothing of its level's spread: all levels' stands in.
    double s2 = n > 1 ? variance(n, own.sum, own.squares) : overall;
    double term = population * population * s2 / n * (1 - n / population);
    spread += term;
    if (term > 0)
      freedom += term * term / std::max(1.0, (n > 1 ? n : pooled.n) - 1);
  }
  if (borrowed > 0) {
    // The levels that were sampled stand for those that were not, with the spread of their mean and
    // of the values themselves.
    total += borrowed * pooled.sum / pooled.n;
    e.count += borrowed * pooled.own / pooled.n;
    double term = borrowed * borrowed * overall / pooled.n + borrowed * overall;
    spread += term;
    if (term > 0)
      freedom += term * term / std::max(1.0, pooled.n - 1);
  }
  if (host.calls && spread > 0 && pooled.own == pooled.n) {
    const Regression more = byHost(made, all, spread, host);
    total = std::max(total + more.total, pooled.sum);
    freedom *= (spread - more.spread) * (spread - more.spread) / (spread * spread);
    spread -= more.spread;
  }
  e.totalNs = total;
  if (e.count > 0)
    e.meanNs = total / e.count;
  double random = spread > 0 ? studentT(spread * spread / freedom) * std::sqrt(spread) : 0;
  // What the pairs leave open is the same for all samples: it does not average out.
  double systematic = part.doubtNs / pooled.own * e.count;
  e.ciNs = std::sqrt(random * random + systematic * systematic);
  return e;
}

} // namespace gpuinstr::timing
