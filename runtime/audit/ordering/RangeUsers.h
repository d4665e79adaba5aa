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
    const uint64_t use = pack(site, access), last = Last.load(std::memory_order_relaxed);
    if (__builtin_expect((last & ~Settled) == use, true))
      return;
    const bool isKnown = isNoted(use, last);
    swap(use, last);
    if (!isKnown)
      add(use);
  }
  /// The same of one that may be new. False: it is, and nothing was done.
  bool noteKnown(SiteIndex site, uint8_t access) {
    const uint64_t use = pack(site, access), last = Last.load(std::memory_order_relaxed);
    if ((last & ~Settled) == use)
      return true;
    if (!isNoted(use, last))
      return false;
    swap(use, last);
    return true;
  }
  /// One that was noted before, since the last clear().
  void noteAgain(SiteIndex site, uint8_t access) {
    const uint64_t last = Last.load(std::memory_order_relaxed);
    Last.store(pack(site, access) | (last & Settled), std::memory_order_relaxed);
  }
  /// One whose kernel leaves it alone.
  void notePassed(SiteIndex site) { add(pack(site, 0)); }

  /// Of the last launch that used it, 0 none.
  SiteIndex lastSite() const {
    return SiteIndex((Last.load(std::memory_order_relaxed) & ~Settled) >> 8);
  }
  /// Of the last one that wrote it, as far as is noted.
  SiteIndex lastWriter() const;
  /// Of the first line noted that writes it, 0 none is.
  SiteIndex firstWriter() const;
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
  /// As far as one look tells: it was the one before the last, or nothing can be learnt any more.
  bool isNoted(uint64_t use, uint64_t last) const {
    return Before.load(std::memory_order_relaxed) == use ||
           ((use << SettledAt) & ~last & Settled) == 0;
  }
  void swap(uint64_t use, uint64_t last) {
    Before.store(last & ~Settled, std::memory_order_relaxed);
    Last.store(use | (last & Settled), std::memory_order_relaxed);
  }

  /// In Last, once all places are taken: what is known of every one of them. Thus a use that adds
  /// nothing is told without a look at the places, which lie in another line.
  static constexpr unsigned SettledAt = 56;
  static constexpr uint64_t Settled = uint64_t(0xff) << SettledAt;
  std::atomic<uint64_t> Last{0};
  /// Another one that is noted: two lines that use it in turns look no further. 0 none.
  std::atomic<uint64_t> Before{0};
  std::atomic<uint64_t> Uses[Most] = {};
  std::atomic<bool> More{false};
};

} // namespace gpuinstr::audit

#endif
