// The sections of a module that tell of its source.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_DWARFSECTIONS_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_DWARFSECTIONS_H

#include "attach/native/dwarf/DwarfReader.h"
#include "attach/native/dwarf/ElfFile.h"

namespace gpuinstr::attach {

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
