// Random numbers, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

class Random {
public:
  /// Seeds in a row have numbers of their own, not the same ones shifted by one.
  explicit Random(uint64_t seed) : State(seed) { State = uint64_t(next()) << 32 | next(); }
  uint32_t next() {
    State += 0x9e3779b97f4a7c15u;
    uint64_t z = (State ^ (State >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return uint32_t((z ^ (z >> 31)) >> 16);
  }
  unsigned below(unsigned limit) { return next() % limit; }
  bool percent(unsigned chance) { return below(100) < chance; }

private:
  uint64_t State;
};
