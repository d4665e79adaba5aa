// Units of .debug_info, and how their entries are read (DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/DebugUnit.h"
#include <algorithm>

namespace gpuinstr::attach {

namespace {

constexpr uint16_t ImplicitConst = 0x21;
constexpr uint64_t MostSpecs = 1 << 20; ///< of a table of abbreviations

/// The bases that stand in the unit's first entry, and all that is found by them.
void readFirst(const DwarfSections &sections, DebugUnit &unit) {
  DwarfReader r = readerAt(sections.info, unit.entries);
  r.end = sections.info.data + unit.end;
  uint64_t code = r.unsignedLeb();
  unit.isUnread = true;
  if (r.bad || !code)
    return;
  Abbreviations table(sections.abbreviations, unit.abbreviations, code);
  const Abbreviation *first = table.find(code);
  if (!first || (first->tag != dwarf::CompileUnit && first->tag != dwarf::PartialUnit))
    return;
  bool isWide = unit.offsetBytes == 8;
  unit.textBase = unit.addressBase = isWide ? 16 : 8;
  unit.listsBase = isWide ? 20 : 12;
  AttributeValue low, high;
  const AttributeSpec *spec = table.attributes(*first);
  for (uint32_t i = 0; i < first->count; ++i, ++spec) {
    AttributeValue value = readValue(r, unit, sections.info, *spec);
    switch (spec->name) {
    case dwarf::LowPc:
      low = value;
      break;
    case dwarf::HighPc:
      high = value;
      break;
    case dwarf::Ranges:
      unit.ranges = value;
      break;
    case dwarf::Folder:
      unit.folder = value;
      break;
    case dwarf::StatementList:
      unit.lines = value.number;
      break;
    case dwarf::TextOffsetsBase:
      unit.textBase = value.number;
      break;
    case dwarf::AddressBase:
      unit.addressBase = value.number;
      break;
    case dwarf::RangeListsBase:
      unit.listsBase = value.number;
      break;
    }
  }
  if (low && addressOf(sections, unit, low, unit.low) && high &&
      !addressOf(sections, unit, high, unit.high))
    unit.high = unit.low + high.number;
  unit.isUnread = r.bad;
  unit.hasCode = !r.bad && first->tag == dwarf::CompileUnit;
}

} // namespace

Abbreviations::Abbreviations(const Bytes &section, uint64_t at, uint64_t until) {
  DwarfReader r = readerAt(section, at);
  bool isSorted = true;
  while (!r.bad && Specs.size() < MostSpecs) {
    Abbreviation one;
    one.code = r.unsignedLeb();
    if (!one.code || r.bad)
      break;
    one.tag = uint16_t(r.unsignedLeb());
    one.hasChildren = r.fixed<uint8_t>();
    one.first = uint32_t(Specs.size());
    while (!r.bad && Specs.size() < MostSpecs) {
      AttributeSpec spec{uint16_t(r.unsignedLeb()), uint16_t(r.unsignedLeb()), 0};
      if (spec.form == ImplicitConst)
        spec.constant = r.signedLeb();
      if (!spec.name && !spec.form)
        break;
      Specs.push_back(spec);
    }
    one.count = uint32_t(Specs.size()) - one.first;
    isSorted &= All.empty() || All.back().code < one.code;
    if (!until || one.code == until)
      All.push_back(one);
    if (one.code == until)
      break;
    if (until)
      Specs.resize(one.first);
  }
  if (!isSorted)
    std::sort(All.begin(), All.end(), [](auto &a, auto &b) { return a.code < b.code; });
}

const Abbreviation *Abbreviations::find(uint64_t code) const {
  if (code && code <= All.size() && All[code - 1].code == code) // as compilers number them
    return &All[code - 1];
  auto at = std::lower_bound(All.begin(), All.end(), code,
                             [](auto &one, uint64_t wanted) { return one.code < wanted; });
  return at != All.end() && at->code == code ? &*at : nullptr;
}

bool readUnit(const DwarfSections &sections, uint64_t at, DebugUnit &unit) {
  enum { Compile = 1, Partial = 3, Skeleton = 4, Type = 2, SplitType = 6 };
  DwarfReader r = readerAt(sections.info, at);
  unit = DebugUnit();
  unit.at = at;
  uint64_t length = r.fixed<uint32_t>();
  if (length == 0xffffffff) {
    unit.offsetBytes = 8;
    length = r.fixed<uint64_t>();
  }
  if (r.bad || !length || length > uint64_t(r.end - r.at))
    return false;
  r.end = r.at + length;
  unit.end = uint64_t(r.end - sections.info.data);
  unit.version = r.fixed<uint16_t>();
  uint8_t kind = Compile;
  if (unit.version >= 5) {
    kind = r.fixed<uint8_t>();
    unit.addressBytes = r.fixed<uint8_t>();
    unit.abbreviations = r.offset(unit.offsetBytes);
  } else {
    unit.abbreviations = r.offset(unit.offsetBytes);
    unit.addressBytes = r.fixed<uint8_t>();
  }
  if (kind >= Skeleton || kind == Type)
    r.skip(8);
  if (kind == Type || kind == SplitType)
    r.skip(unit.offsetBytes);
  unit.entries = uint64_t(r.at - sections.info.data);
  bool isKnown = unit.version >= 2 && unit.version <= 5 && !r.bad &&
                 (unit.addressBytes == 8 || unit.addressBytes == 4);
  unit.isUnread = !isKnown || kind == Skeleton;
  if (isKnown && (kind == Compile || kind == Partial))
    readFirst(sections, unit);
  return true;
}

} // namespace gpuinstr::attach
