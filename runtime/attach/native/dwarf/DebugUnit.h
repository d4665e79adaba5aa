// Units of .debug_info, and how their entries are read (DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_DEBUGUNIT_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_DEBUGUNIT_H

#include "attach/native/dwarf/DwarfReader.h"
#include <vector>

namespace gpuinstr::attach {

constexpr uint64_t NoOffset = ~uint64_t(0);

namespace dwarf {
enum Tag : uint16_t {
  ClassType = 2,
  StructureType = 0x13,
  UnionType = 0x17,
  CompileUnit = 0x11,
  InlinedSubroutine = 0x1d,
  Subprogram = 0x2e,
  Namespace = 0x39,
  PartialUnit = 0x3c
};
enum Attribute : uint16_t {
  Name = 3,
  StatementList = 0x10,
  LowPc = 0x11,
  HighPc = 0x12,
  Folder = 0x1b,
  AbstractOrigin = 0x31,
  Specification = 0x47,
  Ranges = 0x55,
  CallFile = 0x58,
  CallLine = 0x59,
  CallColumn = 0x57,
  LinkageName = 0x6e,
  TextOffsetsBase = 0x72,
  AddressBase = 0x73,
  RangeListsBase = 0x74,
  MipsLinkageName = 0x2007
};
} // namespace dwarf

/// What an attribute holds. A text that stands in the entry itself: where it begins.
struct AttributeValue {
  uint16_t form = 0; ///< 0: there is none
  uint64_t number = 0;
  explicit operator bool() const { return form; }
};

struct AttributeSpec {
  uint16_t name, form;
  int64_t constant; ///< of DW_FORM_implicit_const
};

struct Abbreviation {
  uint64_t code = 0;
  uint16_t tag = 0;
  bool hasChildren = false;
  uint32_t first = 0, count = 0; ///< its attributes
};

/// One table of .debug_abbrev.
class Abbreviations {
public:
  Abbreviations() = default;
  /// `until`: the only code that is asked for; 0 all are.
  Abbreviations(const Bytes &section, uint64_t offset, uint64_t until = 0);
  const Abbreviation *find(uint64_t code) const;
  const AttributeSpec *attributes(const Abbreviation &of) const { return Specs.data() + of.first; }
  size_t size() const { return Specs.size(); }

private:
  std::vector<Abbreviation> All; ///< by code
  std::vector<AttributeSpec> Specs;
};

struct DebugUnit {
  uint64_t at = 0, entries = 0, end = 0; ///< offsets in .debug_info
  uint64_t abbreviations = 0;
  uint16_t version = 0;
  uint8_t offsetBytes = 4, addressBytes = 8;
  bool hasCode = false;  ///< a whole unit of a compiler's, no part of one
  bool isUnread = false; ///< where its code lies is not known here
  // Of its first entry:
  uint64_t low = 0, high = 0, textBase = 0, addressBase = 0, listsBase = 0;
  uint64_t lines = NoOffset; ///< in .debug_line
  AttributeValue ranges, folder;
};

/// Reads the head and first entry of the unit at `offset`. False: no further one can be found.
bool readUnit(const DwarfSections &sections, uint64_t offset, DebugUnit &unit);

/// Reads one value, or skips it. `section`: .debug_info, where texts inside entries lie.
AttributeValue readValue(DwarfReader &r, const DebugUnit &unit, const Bytes &section,
                         const AttributeSpec &spec);
std::string textOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue value);
/// False: it is no address, or lies outside.
bool addressOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue value,
               uint64_t &address);
/// The entry that is meant, as offset in .debug_info; NoOffset: in another file, or none.
uint64_t entryOf(const DebugUnit &unit, AttributeValue value);

struct AddressRange {
  uint64_t low, high;
};
/// What a pair of low and high, or a list of ranges, covers. `budget`: how many more may be read.
void rangesOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue low,
              AttributeValue high, AttributeValue list, uint64_t &budget,
              std::vector<AddressRange> &found);

} // namespace gpuinstr::attach

#endif
