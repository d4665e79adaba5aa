// Inputs for the hash's tests, and counting what falls together.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_AUDIT_HASHINPUTS_H
#define GPUINSTR_TEST_AUDIT_HASHINPUTS_H

#include "audit/hash/HostHash.h"
#include "cuda/operands/CallOperands.h"
#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace gpuinstr::test {

using Bytes = std::vector<unsigned char>;

inline Bytes randomBytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (unsigned char &b : bytes)
    b = static_cast<unsigned char>(random());
  return bytes;
}

/// Inputs that must all differ, in each of the two halves alone.
class Distinct {
public:
  void add(const Bytes &bytes) {
    audit::ContentHash h = audit::hashHost(bytes.data(), bytes.size());
    Collisions += !First.insert(h.first).second;
    Collisions += !Second.insert(h.second).second;
  }
  size_t collisions() const { return Collisions; }

private:
  std::set<uint64_t> First, Second;
  size_t Collisions = 0;
};

/// Pairs of equal values; sorts.
template <class T> size_t equalPairs(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  size_t pairs = 0, run = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    run = values[i] == values[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

} // namespace gpuinstr::test

#endif
