// Duration statistics of a call site: fixed size, no allocation, mergeable.
// SPDX-License-Identifier: Apache-2.0
//
// One thread adds, any thread may read or merge at the same time (relaxed atomics, no lock prefix):
// a reader may see a call in one figure and not yet in another, never a torn value.
#ifndef GPUINSTR_PROFILE_HISTOGRAM_H
#define GPUINSTR_PROFILE_HISTOGRAM_H

#include "base/HotCode.h"
#include "profile/Profile.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr::profile {

/// A word with one writer.
template <class T> class Relaxed {
public:
  Relaxed(T value = T()) : Value(value) {}
  operator T() const { return Value.load(std::memory_order_relaxed); }
  void operator=(T value) { Value.store(value, std::memory_order_relaxed); }
  void operator+=(T value) { *this = T(*this) + value; }

private:
  std::atomic<T> Value;
};

/// Counts of values in buckets that are at most 1/16 of their value wide: values below 16 have one
/// each, every power of two above has 16. Values from 2^42 (73 minutes in ns) share the last one.
class Histogram {
public:
  static constexpr unsigned SubBits = 4, TopBit = 42;
  static constexpr unsigned Buckets = (TopBit - SubBits + 1) << SubBits;

  static unsigned bucket(uint64_t value) {
    if (value < (1u << SubBits))
      return static_cast<unsigned>(value);
    unsigned power = 63 - static_cast<unsigned>(__builtin_clzll(value));
    if (power >= TopBit)
      return Buckets - 1;
    unsigned sub = static_cast<unsigned>(value >> (power - SubBits)) & ((1u << SubBits) - 1);
    return ((power - SubBits + 1) << SubBits) + sub;
  }
  /// Smallest value of a bucket; bucket(lowest(i)) == i.
  static uint64_t lowest(unsigned index);
  static uint64_t highest(unsigned index);

  void add(uint64_t value, uint64_t times = 1) { Counts[bucket(value)] += times; }
  void merge(const Histogram &other);
  void reset();
  uint64_t count() const;

  /// The value that `fraction` (0..1) of all values do not exceed, as the middle of its bucket: off
  /// by at most 1/16 below 2^42. 0 when empty.
  uint64_t percentile(double fraction) const;

private:
  Relaxed<uint64_t> Counts[Buckets];
};

/// What a Duration is made of.
class DurationStats {
public:
  /// The site's first call in this process: kept out of all other figures.
  void addFirst(uint64_t ns) {
    First = ns;
    HasFirst = true;
  }

  /// `times`: how many calls this one stands for.
  GPUINSTR_HOT void add(uint64_t ns, uint64_t times = 1) {
    uint64_t n = Count;
    Count = n + times;
    Samples += 1;
    Total += ns * times;
    if (n == 0)
      Shift = ns;
    if (n == 0 || ns < Min)
      Min = ns;
    if (ns > Max)
      Max = ns;
    // About the first value, not about 0: plain squares would lose the small spread of long calls.
    // Welford's mean would cost a division.
    double delta = static_cast<double>(static_cast<int64_t>(ns - Shift));
    Squares += delta * delta * static_cast<double>(times);
    Values.add(ns, times);
  }

  /// Lowers the total: values stood for more than they can have been. May come before the values
  /// themselves, when they are added later.
  void takeOff(uint64_t ns) { Total = Total - ns; }

  /// Of all calls, the first one included.
  uint64_t allTicks() const { return Total + First; }

  /// Adds another thread's figures. Of two first calls the other's becomes an ordinary one.
  void merge(const DurationStats &other);
  void reset();
  Duration figures() const;
  const Histogram &histogram() const { return Values; }
  /// All calls, the first one included, and their sum; 0 where some stand for others.
  uint64_t callsInAll() const { return Samples == Count ? Count + HasFirst : 0; }
  uint64_t totalOfAll() const { return Total + (HasFirst ? uint64_t(First) : 0); }

private:
  /// Sum of deviations from `about`.
  double deviations(uint64_t about) const;

  // What add() touches, in one line where this begins one.
  Relaxed<uint64_t> Count, Samples, Total, Min, Max, Shift; ///< Shift: the first value added
  Relaxed<double> Squares; ///< sum of squared deviations from Shift
  Relaxed<uint64_t> First;
  Relaxed<bool> HasFirst;
  Histogram Values;
};

} // namespace gpuinstr::profile

#endif
