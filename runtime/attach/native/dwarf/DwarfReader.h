// Reads DWARF's numbers and texts, and says in which sections they stand.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_DWARFREADER_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_DWARFREADER_H

#include "base/elf/ElfFile.h"
#include <cstdint>
#include <cstring>
#include <string>

namespace gpuinstr::attach {

/// Reads on; behind the end everything is 0 and `bad`.
struct DwarfReader {
  const uint8_t *at, *end;
  bool bad = false;

  template <class T> T fixed() {
    T value = 0;
    if (size_t(end - at) < sizeof value) {
      bad = true;
      at = end;
      return 0;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  /// As 32-bit DWARF has offsets, or 64-bit DWARF.
  uint64_t offset(unsigned bytes) { return bytes == 8 ? fixed<uint64_t>() : fixed<uint32_t>(); }
  uint64_t unsignedLeb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
      uint8_t byte = *at++;
      if (shift < 64)
        value |= uint64_t(byte & 127) << shift;
      if (!(byte & 128))
        return value;
    }
    bad = true;
    return 0;
  }
  int64_t signedLeb() {
    int64_t value = 0;
    for (unsigned shift = 0; at < end;) {
      uint8_t byte = *at++;
      if (shift < 64)
        value |= int64_t(byte & 127) << shift;
      shift += 7;
      if (!(byte & 128))
        return shift < 64 && (byte & 64) ? value | -(int64_t(1) << shift) : value;
    }
    bad = true;
    return 0;
  }
  std::string text() {
    auto *stop = static_cast<const uint8_t *>(std::memchr(at, 0, size_t(end - at)));
    if (!stop) {
      bad = true;
      at = end;
      return "";
    }
    std::string value(reinterpret_cast<const char *>(at), size_t(stop - at));
    at = stop + 1;
    return value;
  }
  void skipText() {
    auto *stop = static_cast<const uint8_t *>(std::memchr(at, 0, size_t(end - at)));
    bad |= !stop;
    at = stop ? stop + 1 : end;
  }
  void skip(uint64_t bytes) {
    if (bytes > uint64_t(end - at)) {
      bad = true;
      bytes = uint64_t(end - at);
    }
    at += bytes;
  }
};

struct DwarfSections {
  Bytes info, abbreviations, texts, lineTexts, textOffsets, addresses, rangeLists, ranges, lines;

  DwarfSections() = default;
  explicit DwarfSections(const ElfFile &file)
      : info(file.section(".debug_info")), abbreviations(file.section(".debug_abbrev")),
        texts(file.section(".debug_str")), lineTexts(file.section(".debug_line_str")),
        textOffsets(file.section(".debug_str_offsets")), addresses(file.section(".debug_addr")),
        rangeLists(file.section(".debug_rnglists")), ranges(file.section(".debug_ranges")),
        lines(file.section(".debug_line")) {}
};

/// From an offset to the end; nothing where it lies outside.
inline DwarfReader readerAt(const Bytes &section, uint64_t offset) {
  const uint8_t *end = section.data + section.size;
  return offset <= section.size ? DwarfReader{section.data + offset, end}
                                : DwarfReader{end, end, true};
}

inline std::string textAt(const Bytes &section, uint64_t offset) {
  return offset < section.size ? readerAt(section, offset).text() : "";
}

} // namespace gpuinstr::attach

#endif
