// The launches that got an allocation's address, and what their kernels do with it: evidence.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_RANGEUSERS_H
#define GPUINSTR_AUDIT_ORDERING_RANGEUSERS_H

#include "findings/Findings.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr::audit {

/// Launches note their use without a lock; the first few lines stay.
class RangeUsers {
public:
  /// A launch whose kernel uses it; `access` are GPUINSTR_ACCESS_* bits.
  void note(SiteIndex site, uint8_t access) {
    uint64_t use = pack(site, access);
    if (__builtin_expect(Last.load(std::memory_order_relaxed) == use, true))
      return;
    Last.store(use, std::memory_order_relaxed);
    add(use);
  }
  /// One that was noted before, since the last clear().
  void noteAgain(SiteIndex site, uint8_t access) {
    Last.store(pack(site, access), std::memory_order_relaxed);
  }
  /// One whose kernel leaves it alone.
  void notePassed(SiteIndex site) { add(pack(site, 0)); }

  /// Of the last launch that used it, 0 none.
  SiteIndex lastSite() const { return SiteIndex(Last.load(std::memory_order_relaxed) >> 8); }
  /// Of the last one that wrote it, as far as is noted.
  SiteIndex lastWriter() const;
  /// Adds them to a finding's.
  void addTo(KernelUses &uses) const;
  void clear();

private:
  static constexpr unsigned Most = 6;
  static constexpr uint64_t Noted = 0x80; ///< a place that is taken, whatever the access
  static uint64_t pack(SiteIndex site, uint8_t access) {
    return uint64_t(site) << 8 | Noted | access;
  }
  void add(uint64_t use);

  std::atomic<uint64_t> Last{0};
  std::atomic<uint64_t> Uses[Most] = {};
  std::atomic<bool> More{false};
};

} // namespace gpuinstr::audit

#endif
