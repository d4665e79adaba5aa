// The content hash on the host.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HostHash.h"
#include "audit/hash/HostHashWords.h"
#include "cuda/operands/CallOperands.h"
#include <cstring>

namespace gpuinstr::audit {

namespace {

using hash::Keys;
using hash::Sums;

void load(const char *at, uint64_t &low, uint64_t &high) {
  std::memcpy(&low, at, 8);
  std::memcpy(&high, at + 8, 8);
}

} // namespace

void HostHash::addWords(const char *at, uint64_t words) {
  Sums sums;
  uint64_t i = hashWords(at, words, Words, sums);
  for (Keys key = Keys::at(Words + i); i < words; ++i, key = key.ahead(1)) {
    uint64_t low, high;
    load(at + 16 * i, low, high);
    sums.add(low, high, key);
  }
  Total.add(sums);
  Words += words;
}

void HostHash::add(const void *data, uint64_t bytes) {
  if (!bytes)
    return; // there may be no data
  const char *at = static_cast<const char *>(data);
  Bytes += bytes;
  if (Pending) {
    uint64_t take = bytes < 16 - Pending ? bytes : 16 - Pending;
    std::memcpy(Rest + Pending, at, take);
    Pending += unsigned(take);
    at += take;
    bytes -= take;
    if (Pending < 16)
      return;
    addWords(Rest, 1);
  }
  addWords(at, bytes / 16);
  Pending = unsigned(bytes % 16);
  std::memcpy(Rest, at + (bytes - Pending), Pending);
}

ContentHash HostHash::value() const {
  HostHash copy = *this;
  if (copy.Pending) {
    std::memset(copy.Rest + copy.Pending, 0, 16 - copy.Pending);
    copy.addWords(copy.Rest, 1);
  }
  return hash::finish(copy.Total, Bytes);
}

ContentHash hashHost(const void *data, uint64_t bytes) {
  HostHash hash;
  hash.add(data, bytes);
  return hash.value();
}

ContentHash hashHost(const cuda::Region &region) {
  HostHash hash;
  for (uint64_t slice = 0; slice < region.slices; ++slice)
    for (uint64_t row = 0; row < region.rows; ++row)
      hash.add(reinterpret_cast<const void *>(region.address + slice * region.slicePitch +
                                              row * region.pitch),
               region.width);
  return hash.value();
}

} // namespace gpuinstr::audit
