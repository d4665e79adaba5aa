// Findings as they are made, before they become text.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_FINDINGS_H
#define GPUINSTR_FINDINGS_FINDINGS_H

#include "ledger/Ledger.h"
#include "profile/kinds/FindingKind.h"
#include <string>
#include <vector>

namespace gpuinstr {

using profile::Grade;
using profile::Pattern;
using profile::TransferDirection;

/// What makes two occurrences one finding. `name` is the allocation's given name, which stands for
/// its variable.
struct FindingKey {
  Pattern pattern = Pattern::Leak;
  Grade grade = Grade::Proven;
  SiteIndex site = 0, caller = 0;
  SiteIndex related = 0; ///< a second place: the first free, the allocation
  /// Who allocated what a free or copy is about: its variable is shown. 0: the site's own.
  SiteIndex owner = 0, ownerCaller = 0;
  uint16_t resource = 0;
  uint32_t name = 0;
  int32_t error = 0;
  bool driverError = false;
  bool operator==(const FindingKey &o) const;
};

/// Kernels that got the memory's address, by line of launch, and GPUINSTR_ACCESS_* bits.
struct KernelUses {
  std::vector<std::pair<SiteIndex, uint8_t>> known;
  bool more = false; ///< than are listed
  void add(SiteIndex site, uint8_t access);
  void add(const KernelUses &other);
};

/// invalid-free: what the address is that a free was given.
enum class GivenAddress : uint8_t {
  Unknown,
  Other,  ///< of an allocation that another call frees
  Inside, ///< of an allocation, `past` its start
  OfStack,
  OfVariable, ///< of the program or a library, in its own memory
  OfHost,     ///< any other that CUDA knows nothing of
  OfReset     ///< of what the device's reset at `related` had freed
};

struct FindingRecord {
  struct Part {
    uint64_t count = 0, bytes = 0, ticks = 0;
  };
  FindingKey key;
  uint64_t count = 0, bytes = 0;
  uint64_t each = 0; ///< bytes of one occurrence, 0 when they differ
  uint64_t free = 0; ///< out-of-memory: bytes that were free, 0 unknown
  uint64_t past = 0; ///< out-of-bounds-copy: most bytes past the end
  GivenAddress given = GivenAddress::Unknown;
  uint8_t rightKind = 0; ///< PendingError::rightKind
  uint64_t capacity = 0; ///< out-of-bounds-copy, invalid-free: size of the allocation then
  std::vector<OwnerRow> holders;
  // Waste: `count` repeats, of which so many were compared and found unchanged.
  uint64_t repeats = 0, checked = 0, unchanged = 0;
  uint64_t hostChecked = 0; ///< of those: by what the host sent, not by what the device held
  uint64_t news = 0;        ///< looks at what was neither sent before nor came back, but the first
  bool isInTurn = false;    ///< reupload: other bytes had replaced them where they were
  bool isFill = false;      ///< reupload, dead-copy: of equal elements
  bool isByFree = false;    ///< reupload, dead-copy: the call at `related` freed the memory
  bool first = false;       ///< a copy within the device: the first one, and only that
  uint64_t inPlace = 0;     ///< reupload: so many of `count` found their bytes where they went
  uint64_t made = 0;        ///< dead-copy: of so many transfers of the line; 0: it made no others
  uint64_t sweeps = 0;      ///< dead-copy: so many may have emptied the device's cache
  uint32_t elements = 0;    ///< dead-copy: the fewest that were compared of one, where not all were
  bool isUnread = false;    ///< a needless copy or set: none of the line's was seen to be read
  bool isWarmUp = false;    ///< unused-allocation: small, and the first memory of the process
  uint64_t places = 0;      ///< noop-copy: to so many places, or from them
  bool isFromOthers = false; ///< ... and to one of them from several
  bool mayBeWritten = false; ///< something may have written between two of them
  /// noop-copy: so many more come behind something that may write there, and are likely if any of
  /// them was compared.
  uint64_t behindWrites = 0, behindLooks = 0;
  uint64_t firsts = 1; ///< reupload: so many of the line's uploads repeat none
  /// Of what went to new buffers: so many copies the line's caller made, and their bytes; 0 not
  /// known.
  uint64_t ofCaller = 0, bytesOfCaller = 0;
  bool isStaged = false;   ///< roundtrip: to other memory of the device
  bool isFetched = false;  ///< roundtrip: another line had just brought the same bytes
  bool isAnew = false;     ///< roundtrip: to memory that the line allocates each time
  Part seen;               ///< likely: those that looks stand for, three at least
  uint64_t lastLookNs = 0; ///< monotonic, of the last comparison; 0 none
  KernelUses kernels;
  uint64_t others = 0;     ///< uniform-upload: words that are not like all others
  unsigned wordBytes = 4;  ///< ... of 4 bytes, or 8
  bool isOfPlaces = false; ///< ... of one that was looked at in places alone
  uint64_t largest = 0;    ///< alloc-churn: of different sizes; 0: they have one
  uint64_t rows = 0;       ///< small-copies: so many, each of copies with nothing between
  bool allocates = false;  ///< ... or nothing but memory for the next one
  bool isMixed = false;    ///< ... or nothing but copies the other way
  uint64_t ticks = 0;      ///< spent in the calls
  TransferDirection direction = TransferDirection::Unknown;
  // lifetime: the device's peak, what it would be, and which side of the use is idle.
  uint64_t peak = 0, leanPeak = 0;
  uint64_t unnamed = 0; ///< more of these that it takes, and that have no row
  bool early = false;
  bool filled = false; ///< by the host before that use

  /// ignored-error: of `times` more occurrences, which are counted. They may differ.
  void noteRightKind(uint8_t kind, uint64_t times) {
    rightKind = count == times || rightKind == kind ? kind : 0;
  }
};

/// Adds an occurrence; `first` may fill in the record's details when it is new. Any thread.
void recordFinding(const FindingKey &key, uint64_t bytes,
                   const std::function<void(FindingRecord &)> &detail = {}, uint64_t times = 1);

/// A copy, in the order they were first made.
std::vector<FindingRecord> recordedFindings();

class Part;
Part &findingsPart();

/// Groups allocations that are found live into records of one pattern.
FindingRecord &addToRecords(std::vector<FindingRecord> &records, const FindingKey &key,
                            uint64_t bytes, uint64_t times = 1);

} // namespace gpuinstr

#endif
