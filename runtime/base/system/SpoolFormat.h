// How a spool lies in its file. Written and read on one machine by one version: no byte order.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_SPOOLFORMAT_H
#define GPUINSTR_BASE_SYSTEM_SPOOLFORMAT_H

#include "base/Hash.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuinstr::spool {

constexpr char Magic[8] = {'g', 'i', 's', 'p', 'o', 'o', 'l', '1'};
constexpr const char *Suffix = ".spool";
constexpr unsigned Slots = 2;
constexpr uint64_t PageBytes = 4096;

struct Header {
  char magic[8];
  int64_t pid;
  uint64_t startTicks, pidNamespace, slotBytes;
  uint32_t settingsLength, unused;
  char settings[3072];
  uint64_t check; ///< of all before it
};

struct SlotHeader {
  uint64_t sequence; ///< the higher of two valid ones is the newer
  uint64_t length, takenNs;
  uint64_t textCheck;
  uint64_t check; ///< of all before it
};

/// The header, behind it those of the slots, all in the first page.
constexpr uint64_t slotHeaderAt(unsigned slot) { return 3584 + 256 * slot; }
static_assert(sizeof(Header) <= slotHeaderAt(0));
static_assert(slotHeaderAt(Slots - 1) + sizeof(SlotHeader) <= PageBytes);

/// Behind the last slot the file ends.
constexpr uint64_t slotAt(uint64_t slotBytes, unsigned slot) {
  return PageBytes + slot * ((slotBytes + PageBytes - 1) / PageBytes * PageBytes);
}

inline uint64_t checksum(const void *data, size_t bytes) {
  const char *from = static_cast<const char *>(data);
  uint64_t sum = bytes;
  for (; bytes >= 8; bytes -= 8, from += 8) {
    uint64_t word;
    std::memcpy(&word, from, 8);
    sum = hashMix(sum, word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, from, bytes);
  return hashMix(sum, rest);
}

template <class T> uint64_t checksumOf(const T &header) {
  return checksum(&header, offsetof(T, check));
}

} // namespace gpuinstr::spool

#endif
