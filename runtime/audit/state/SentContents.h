// What the host has sent before, whoever sent it and wherever to, and what it got from pieces of
// pools lately: contents by hash.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_SENTCONTENTS_H
#define GPUINSTR_AUDIT_STATE_SENTCONTENTS_H

#include "audit/state/TransferHistory.h"
#include <deque>

namespace gpuinstr::audit {

/// The last upload of some bytes in a context: what one device holds serves no other.
struct Sent {
  ContentHash content;
  uint64_t bytes = 0, context = 0;
  Key *holder = nullptr;    ///< null once its range is freed, or got other bytes
  uint64_t serial = 0;      ///< of the range
  uint64_t version = 0;     ///< the holder's when it got them
  SiteIndex site = 0;       ///< that sent them
  SiteIndex freeSite = 0;   ///< where the holder was freed
  bool kernelWrote = false; ///< ... or got other bytes, after a kernel that is known to write it
  bool replaced = false;    ///< the holder's range got other bytes
  /// Once it was freed: nothing may have written it in between, so that keeping it would have done.
  bool untouched = false;
  bool shown = false;   ///< ... and the device was seen to hold these bytes then
  uint64_t freedAt = 0; ///< Key::freedAt of the holder
};

/// A bounded table; what leaves it is the oldest. With the auditor's lock held.
class SentContents {
public:
  static constexpr size_t Most = 65536;

  /// Null: these bytes are new.
  Sent *find(const ContentHash &content, uint64_t bytes, uint64_t context);
  /// `key` holds them from now on.
  void put(const ContentHash &content, Key &key, uint64_t version);
  /// The key's range was freed before it was known what it got.
  void putFreed(const ContentHash &content, const Key &key, bool untouched);
  /// The key's range is freed.
  void retire(const Key &key, SiteIndex freeSite, bool untouched);
  void clear();

private:
  static uint64_t placeOf(const ContentHash &content, uint64_t bytes, uint64_t context);
  Sent *heldBy(const Key &key);
  Sent &place(const ContentHash &content, const Key &key);
  std::unordered_map<uint64_t, Sent> Contents;
  std::deque<uint64_t> Order; ///< places, oldest first
};

/// The last download of some bytes.
struct Returned {
  ContentHash content;
  KeyId id; ///< the download's key, which may have ended since
  uint64_t version = 0;
  uint64_t context = 0;
  uint64_t intactAt = 0;    ///< the last upload at which the device still held them there
  bool isDelivered = false; ///< there is no key: `version` is Auditor::changes()
  uint64_t freedAt = 0;     ///< Range::serial of then
  bool isFreed = false;     ///< the memory went with these bytes in it, and could have been kept
};

/// Where a download of memory that is no pool's went.
struct Fetched {
  uint64_t hostAddress = 0, context = 0;
  KeyId id;
};

/// The newest few. With the auditor's lock held.
class ReturnedContents {
public:
  static constexpr unsigned Most = 64;

  const Returned *find(const ContentHash &content, uint64_t bytes) const {
    for (const Returned &one : All)
      if (one.id.bytes == bytes && one.content == content)
        return &one;
    return nullptr;
  }
  void put(const Returned &one) {
    const Returned *known = find(one.content, one.id.bytes);
    All[known ? known - All : Next++ % Most] = one;
  }
  /// Those that this is true of are there at the next upload, whose number is returned.
  template <class IsIntact> uint64_t noteUpload(IsIntact isIntact) {
    ++Uploads;
    for (Returned &one : All)
      if (one.id.bytes && isIntact(one))
        one.intactAt = Uploads;
    return Uploads;
  }
  template <class Visit> void each(Visit visit) {
    for (Returned &one : All)
      if (one.id.bytes)
        visit(one);
  }
  bool isEmpty() const { return Next == 0; }
  void noteFetched(const Fetched &one) {
    for (Fetched &known : Places)
      if (known.hostAddress == one.hostAddress)
        return void(known = one);
    Places[NextPlace++ % MostPlaces] = one;
  }
  /// What went there last; null: nothing that is remembered.
  const Fetched *fetchedAt(uint64_t hostAddress) const {
    for (const Fetched &one : Places)
      if (one.hostAddress == hostAddress)
        return &one;
    return nullptr;
  }
  void clear() { *this = ReturnedContents(); }

private:
  static constexpr unsigned MostPlaces = 16;
  Returned All[Most];
  Fetched Places[MostPlaces];
  unsigned Next = 0, NextPlace = 0;
  uint64_t Uploads = 0;
};

/// An asynchronous download whose bytes are the host's once its thread has waited for it.
struct OpenDownload {
  KeyId id;
  uint64_t version = 0, stream = 0, context = 0, ticks = 0;
  cuda::Region region; ///< of the host
  uint16_t streamIndex = 0;
  uint64_t put = 0;        ///< Streams::Puts before it
  uint64_t occurrence = 0; ///< of the key, where the host alone judges it; else 0
};

/// A download into a library's pinned memory, from where it hands the bytes on to `target`.
struct Delivery {
  KeyId id;                ///< the download's key, which may have ended since
  uint64_t occurrence = 0; ///< of it; 0: it has none
  uint64_t stream = 0, context = 0, target = 0;
  cuda::Region region;  ///< the pinned memory
  uint64_t changes = 0; ///< Auditor::changes() then
  uint64_t put = 0;     ///< Streams::Puts
};

} // namespace gpuinstr::audit

#endif
