// A few elements of what a copy or set wrote: did kernels overwrite all of it, unread?
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_SOURCESAMPLE_H
#define GPUINSTR_AUDIT_STATE_SOURCESAMPLE_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpuinstr::audit {

/// Elements from the head, the tail, and all over between. Kernels that leave something as it was
/// mostly leave the border, a part, or every so many: one of these is then unchanged.
struct SourceSample {
  static constexpr unsigned Most = 96, Border = 16; ///< Border: of them at either end
  uint64_t occurrence = 0;                          ///< of the key; 0 none
  /// The range's when it was written: LaunchStamps of the last launches.
  uint64_t writer = 0, reader = 0, irregular = 0, unseenUses = 0;
  uint64_t copyWrites = 0, copyReads = 0; ///< the key's
  uint64_t copyReadsBehind = 0;           ///< ... since then, of what kernels had written
  bool hasValues = false;                 ///< those below are of that occurrence
  bool isDone = false;                    ///< its call waited for its end
  uint32_t count = 0, width = 0;          ///< of elements, in bytes
  uint64_t values[Most] = {};

  /// Where the i-th of them begins, among so many bytes.
  static uint64_t place(unsigned i, unsigned count, unsigned width, uint64_t bytes) {
    uint64_t elements = bytes / width;
    if (elements <= count)
      return i * width;
    if (i < Border)
      return i * width;
    if (i >= count - Border)
      return (elements - (count - i)) * width;
    // Spread, in steps that are no power of two: rows would put all of them in one column.
    uint64_t inner = elements - 2 * Border, n = count - 2 * Border;
    uint64_t step = inner / n, at = (i - Border) * step;
    return (Border + at + (i * 7919u) % std::max<uint64_t>(step, 1)) * width;
  }
  static uint64_t load(const char *at, unsigned width) {
    uint64_t value = 0;
    std::memcpy(&value, at, width);
    return value;
  }
  void take(const char *data, uint64_t bytes, unsigned elementBytes) {
    width = elementBytes;
    count = uint32_t(std::min<uint64_t>(Most, bytes / width));
    for (unsigned i = 0; i < count; ++i)
      values[i] = load(data + place(i, count, width, bytes), width);
  }
  /// All elements hold the value of a set, whose elements have so many bytes.
  void fill(uint64_t value, unsigned setBytes, uint64_t bytes, unsigned elementBytes) {
    char pattern[8];
    for (unsigned i = 0; i < sizeof pattern; i += setBytes)
      std::memcpy(pattern + i, &value, setBytes);
    width = elementBytes;
    count = uint32_t(std::min<uint64_t>(Most, bytes / width));
    std::fill(values, values + count, load(pattern, width));
  }
  /// Neither of the head nor of the tail, of which there are as many of a small buffer as of a
  /// large one: these alone say which share of it holds something else.
  bool isInner(unsigned i) const {
    return count <= 2 * Border || (i >= Border && i < count - Border);
  }

  /// What a look at some of them finds.
  struct Found {
    unsigned looked = 0, others = 0; ///< that hold something else now
    unsigned inner = 0, innerOthers = 0;
    void add(bool isOther, bool isInner) {
      ++looked;
      others += isOther;
      inner += isInner;
      innerOthers += isOther && isInner;
    }
    bool all() const { return others == looked; }
    bool most() const { return innerOthers >= inner - inner / 4; }
  };
  Found lookAt(const char *data, uint64_t bytes) const {
    Found found;
    for (unsigned i = 0; i < count; ++i)
      found.add(load(data + place(i, count, width, bytes), width) != values[i], isInner(i));
    return found;
  }
};

} // namespace gpuinstr::audit

#endif
