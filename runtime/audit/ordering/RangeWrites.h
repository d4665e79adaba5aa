// Launches that write an allocation before anybody reads it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_RANGEWRITES_H
#define GPUINSTR_AUDIT_ORDERING_RANGEWRITES_H

#include "profile/Histogram.h"
#include <cstdint>

namespace gpuinstr::audit {

/// What kernels have done with an allocation since a copy or set wrote it.
enum class RangeUse : uint8_t {
  Written, ///< nobody notes by which launches
  Noted,   ///< by those that RangeWrites knows
  Read,    ///< ... and read: if they come again they write the same places
  /// A launch read and wrote it, or another one wrote it after one had read it: what the first ones
  /// read may have been there before.
  Mixed
};

/// Which those are: kernel, grid and all arguments by value, as one number. One that writes where
/// those and thread indices say writes the same places each time.
class RangeWrites {
public:
  void begin() {
    Number = 0;
    Left = Looks;
  }
  void forget() { Number = 0; }
  /// Of more than a few, or of many looks, nothing is noted.
  void add(uint64_t launch) {
    if (has(launch) || Left == 0 || Number == Most)
      return;
    Launches[Number] = launch;
    Number += 1;
  }
  bool has(uint64_t launch) {
    if (Left == 0)
      return false;
    Left = Left - 1;
    for (unsigned i = 0; i < Number; ++i)
      if (Launches[i] == launch)
        return true;
    return false;
  }

private:
  static constexpr unsigned Most = 4;
  static constexpr uint32_t Looks = 4096; ///< each takes some ns of a launch
  profile::Relaxed<uint64_t> Launches[Most];
  profile::Relaxed<uint32_t> Number{0}, Left{0};
};

} // namespace gpuinstr::audit

#endif
