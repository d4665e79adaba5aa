// File and line of an address, from DWARF's line programs (versions 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_LINEPROGRAM_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_LINEPROGRAM_H

#include "attach/native/dwarf/DwarfReader.h"
#include <vector>

namespace gpuinstr::attach {

struct SourceLine {
  std::string file;
  uint32_t line = 0, column = 0; ///< 0 unknown
};

/// What one unit's program says.
class LineTable {
public:
  LineTable() = default;
  /// `offset`: in .debug_line. `folder`: the unit's own, which DWARF 2 to 4 have elsewhere.
  LineTable(const DwarfSections &sections, uint64_t offset, const std::string &folder);

  SourceLine at(uint64_t address) const;
  /// By a number that the unit's entries use.
  std::string file(uint64_t number) const { return number < Files.size() ? Files[number] : ""; }
  size_t bytes() const;

private:
  struct Row {
    uint64_t address;
    uint32_t file, line;
    uint16_t column;
    bool isEnd;
  };
  std::vector<Row> Rows;
  std::vector<std::string> Files;
};

/// Looks through the programs of all units.
SourceLine lineAt(const DwarfSections &sections, uint64_t address);

} // namespace gpuinstr::attach

#endif
