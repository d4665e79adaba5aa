// Units of .debug_info, and how their entries are read (DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/DebugUnit.h"
#include <algorithm>

namespace gpuinstr::attach {

namespace {

constexpr uint64_t MostSpecs = 1 << 20; ///< of a table of abbreviations

enum Form : uint16_t {
  Addr = 1,
  Block2 = 3,
  Block4,
  Data2,
  Data4,
  Data8,
  String,
  Block,
  Block1,
  Data1,
  Flag,
  Sdata,
  Strp,
  Udata,
  RefAddr,
  Ref1,
  Ref2,
  Ref4,
  Ref8,
  RefUdata,
  Indirect,
  SecOffset,
  Exprloc,
  FlagPresent,
  Strx,
  Addrx,
  RefSup4,
  StrpSup,
  Data16,
  LineStrp,
  RefSig8,
  ImplicitConst,
  Loclistx,
  Rnglistx,
  RefSup8,
  Strx1,
  Strx2,
  Strx3,
  Strx4,
  Addrx1,
  Addrx2,
  Addrx3,
  Addrx4,
  GnuAddrIndex = 0x1f01,
  GnuStrIndex,
  GnuRefAlt = 0x1f20,
  GnuStrpAlt
};

uint64_t offset(DwarfReader &r, unsigned bytes) {
  return bytes == 8 ? r.fixed<uint64_t>() : r.fixed<uint32_t>();
}

uint64_t threeBytes(DwarfReader &r) {
  uint64_t low = r.fixed<uint16_t>();
  return low | uint64_t(r.fixed<uint8_t>()) << 16;
}

bool isAddress(uint16_t form) {
  return form == Addr || form == Addrx || (form >= Addrx1 && form <= Addrx4) ||
         form == GnuAddrIndex;
}

/// The bases that stand in the unit's first entry, and all that is found by them.
void readFirst(const DwarfSections &sections, DebugUnit &unit) {
  DwarfReader r = readerAt(sections.info, unit.entries);
  r.end = sections.info.data + unit.end;
  uint64_t code = r.unsignedLeb();
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
  unit.hasCode = !r.bad && first->hasChildren && first->tag == dwarf::CompileUnit;
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
    unit.abbreviations = offset(r, unit.offsetBytes);
  } else {
    unit.abbreviations = offset(r, unit.offsetBytes);
    unit.addressBytes = r.fixed<uint8_t>();
  }
  if (kind >= Skeleton || kind == Type)
    r.skip(8);
  if (kind == Type || kind == SplitType)
    r.skip(unit.offsetBytes);
  unit.entries = uint64_t(r.at - sections.info.data);
  bool isKnown = unit.version >= 2 && unit.version <= 5 && !r.bad &&
                 (unit.addressBytes == 8 || unit.addressBytes == 4);
  if (isKnown && (kind == Compile || kind == Partial))
    readFirst(sections, unit);
  return true;
}

AttributeValue readValue(DwarfReader &r, const DebugUnit &unit, const Bytes &section,
                         const AttributeSpec &spec) {
  uint16_t form = spec.form;
  if (form == Indirect && (form = uint16_t(r.unsignedLeb())) == Indirect)
    r.bad = true;
  uint64_t number = 0;
  switch (form) {
  case Data1:
  case Ref1:
  case Flag:
  case Strx1:
  case Addrx1:
    number = r.fixed<uint8_t>();
    break;
  case Data2:
  case Ref2:
  case Strx2:
  case Addrx2:
    number = r.fixed<uint16_t>();
    break;
  case Strx3:
  case Addrx3:
    number = threeBytes(r);
    break;
  case Data4:
  case Ref4:
  case Strx4:
  case Addrx4:
  case RefSup4:
    number = r.fixed<uint32_t>();
    break;
  case Data8:
  case Ref8:
  case RefSig8:
  case RefSup8:
    number = r.fixed<uint64_t>();
    break;
  case Data16:
    r.skip(16);
    break;
  case Addr:
    number = offset(r, unit.addressBytes);
    break;
  case RefAddr:
    number = offset(r, unit.version <= 2 ? unit.addressBytes : unit.offsetBytes);
    break;
  case Strp:
  case LineStrp:
  case SecOffset:
  case StrpSup:
  case GnuRefAlt:
  case GnuStrpAlt:
    number = offset(r, unit.offsetBytes);
    break;
  case Sdata:
    number = uint64_t(r.signedLeb());
    break;
  case Udata:
  case RefUdata:
  case Strx:
  case Addrx:
  case Loclistx:
  case Rnglistx:
  case GnuAddrIndex:
  case GnuStrIndex:
    number = r.unsignedLeb();
    break;
  case String:
    number = uint64_t(r.at - section.data);
    r.skipText();
    break;
  case Block:
  case Exprloc:
    r.skip(r.unsignedLeb());
    break;
  case Block1:
    r.skip(r.fixed<uint8_t>());
    break;
  case Block2:
    r.skip(r.fixed<uint16_t>());
    break;
  case Block4:
    r.skip(r.fixed<uint32_t>());
    break;
  case FlagPresent:
    number = 1;
    break;
  case ImplicitConst:
    number = uint64_t(spec.constant);
    break;
  default:
    r.bad = true;
  }
  return {form, number};
}

std::string textOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue value) {
  switch (value.form) {
  case String:
    return textAt(sections.info, value.number);
  case Strp:
    return textAt(sections.texts, value.number);
  case LineStrp:
    return textAt(sections.lineTexts, value.number);
  case Strx:
  case Strx1:
  case Strx2:
  case Strx3:
  case Strx4: {
    if (value.number > sections.textOffsets.size || unit.textBase > sections.textOffsets.size)
      return "";
    DwarfReader r = readerAt(sections.textOffsets, unit.textBase + value.number * unit.offsetBytes);
    uint64_t at = offset(r, unit.offsetBytes);
    return r.bad ? "" : textAt(sections.texts, at);
  }
  }
  return "";
}

bool addressOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue value,
               uint64_t &address) {
  if (!isAddress(value.form))
    return false;
  if (value.form == Addr) {
    address = value.number;
    return true;
  }
  if (value.number > sections.addresses.size || unit.addressBase > sections.addresses.size)
    return false;
  DwarfReader r = readerAt(sections.addresses, unit.addressBase + value.number * unit.addressBytes);
  address = offset(r, unit.addressBytes);
  return !r.bad;
}

uint64_t entryOf(const DebugUnit &unit, AttributeValue value) {
  switch (value.form) {
  case Ref1:
  case Ref2:
  case Ref4:
  case Ref8:
  case RefUdata:
    return value.number < unit.end - unit.at ? unit.at + value.number : NoOffset;
  case RefAddr:
    return value.number;
  }
  return NoOffset;
}

} // namespace gpuinstr::attach
