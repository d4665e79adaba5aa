// What the host has sent before: contents by hash, whoever sent them and wherever to.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_SENTCONTENTS_H
#define GPUINSTR_AUDIT_STATE_SENTCONTENTS_H

#include "audit/state/TransferHistory.h"
#include <deque>

namespace gpuinstr::audit {

/// The last upload of some bytes.
struct Sent {
  ContentHash content;
  uint64_t bytes = 0;
  Key *holder = nullptr;    ///< null once its range is freed, or got other bytes
  uint64_t serial = 0;      ///< of the range
  uint64_t version = 0;     ///< the holder's when it got them
  SiteIndex site = 0;       ///< that sent them
  SiteIndex freeSite = 0;   ///< where the holder was freed
  bool kernelWrote = false; ///< ... or got other bytes, after a kernel that is known to write it
  bool replaced = false;    ///< the holder's range got other bytes
  /// Once it was freed: nothing may have written it in between, so that keeping it would have done.
  bool untouched = false;
};

/// A bounded table; what leaves it is the oldest. With the auditor's lock held.
class SentContents {
public:
  static constexpr size_t Most = 65536;

  /// Null: these bytes are new.
  Sent *find(const ContentHash &content, uint64_t bytes);
  /// `key` holds them from now on.
  void put(const ContentHash &content, Key &key, uint64_t version);
  /// The key's range is freed.
  void retire(const Key &key, SiteIndex freeSite, bool untouched);
  uint64_t evicted() const { return Evicted; }
  void clear();

private:
  static uint64_t placeOf(const ContentHash &content, uint64_t bytes);
  Sent *heldBy(const Key &key);
  std::unordered_map<uint64_t, Sent> Contents;
  std::deque<uint64_t> Order; ///< places, oldest first
  uint64_t Evicted = 0;
};

} // namespace gpuinstr::audit

#endif
