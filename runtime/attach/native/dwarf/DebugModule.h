// Source lines of one module, with the functions that were inlined.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_DEBUGMODULE_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_DEBUGMODULE_H

#include "attach/native/dwarf/InlineTable.h"
#include "attach/native/dwarf/LineProgram.h"
#include <memory>

namespace gpuinstr::attach {

struct SourceFrame {
  SourceLine at;
  std::string function; ///< mangled, or as the source has it; "" unknown
};

struct Named;

/// Keeps which unit lies where, and of units that were asked for their tables. Each question gets
/// the sections that it was made of.
class DebugModule {
public:
  static constexpr size_t MostKept = 32 << 20; ///< bytes

  explicit DebugModule(const DwarfSections &sections, size_t mostKept = MostKept);

  /// From the innermost inlined function out to the one that the stack knows. Where no unit is
  /// known, the line alone; empty: nothing is.
  std::vector<SourceFrame> at(const DwarfSections &sections, uint64_t address);
  size_t bytes() const { return Bytes; }

private:
  struct Tables {
    Tables(const DwarfSections &sections, const DebugUnit &unit);
    size_t bytes() const { return inlines.bytes() + lines.bytes(); }
    InlineTable inlines;
    LineTable lines;
  };
  struct Covered {
    uint64_t low, high;
    uint32_t unit;
  };

  std::vector<SourceFrame> inUnit(const DwarfSections &sections, size_t unit, uint64_t address);
  void keepOnly(size_t unit);
  const Tables *tables(const DwarfSections &sections, size_t unit);
  size_t unitOf(uint64_t entry) const;
  void readEntry(const DwarfSections &sections, uint64_t entry, Named &named);
  std::string nameOf(const DwarfSections &sections, uint64_t entry);
  std::string scopeOf(const DwarfSections &sections, uint64_t entry);

  std::vector<DebugUnit> Units; ///< in their order
  std::vector<Covered> Ranges;
  std::vector<std::unique_ptr<Tables>> Kept; ///< of each unit, none until it is asked for
  size_t Bytes = 0, Most;
  bool KnowsAll = true; ///< where the code of all units lies
};

} // namespace gpuinstr::attach

#endif
