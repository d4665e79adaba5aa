// Values of attributes in .debug_info (DWARF 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/DebugUnit.h"

namespace gpuinstr::attach {

namespace {

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

uint64_t threeBytes(DwarfReader &r) {
  uint64_t low = r.fixed<uint16_t>();
  return low | uint64_t(r.fixed<uint8_t>()) << 16;
}

bool isAddress(uint16_t form) {
  return form == Addr || form == Addrx || (form >= Addrx1 && form <= Addrx4) ||
         form == GnuAddrIndex;
}

} // namespace

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
    number = r.offset(unit.addressBytes);
    break;
  case RefAddr:
    number = r.offset(unit.version <= 2 ? unit.addressBytes : unit.offsetBytes);
    break;
  case Strp:
  case LineStrp:
  case SecOffset:
  case StrpSup:
  case GnuRefAlt:
  case GnuStrpAlt:
    number = r.offset(unit.offsetBytes);
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
    uint64_t at = r.offset(unit.offsetBytes);
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
  address = r.offset(unit.addressBytes);
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
