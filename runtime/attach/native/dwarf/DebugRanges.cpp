// Ranges of addresses that an entry of .debug_info covers: .debug_ranges, .debug_rnglists.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/DebugUnit.h"

namespace gpuinstr::attach {

namespace {

constexpr uint16_t Rnglistx = 0x23, Addrx = 0x1b;

struct List {
  const DwarfSections &sections;
  const DebugUnit &unit;
  uint64_t &budget;
  std::vector<AddressRange> &found;

  /// Nothing lies at 0: there the linker leaves what it threw away.
  void add(uint64_t low, uint64_t high) const {
    if (low && low < high)
      found.push_back({low, high});
  }

  uint64_t address(DwarfReader &r) const { return r.offset(unit.addressBytes); }

  uint64_t indexed(DwarfReader &r) const {
    uint64_t address = 0;
    if (!addressOf(sections, unit, {Addrx, r.unsignedLeb()}, address))
      r.bad = true;
    return address;
  }

  /// DWARF 2 to 4: pairs, up to one of zeros.
  void pairs(uint64_t offset) const {
    DwarfReader r = readerAt(sections.ranges, offset);
    uint64_t base = unit.low;
    const uint64_t newBase = unit.addressBytes == 4 ? 0xffffffff : NoOffset;
    for (; !r.bad && budget; --budget) {
      uint64_t low = address(r), high = address(r);
      if (r.bad || (!low && !high))
        return;
      if (low == newBase)
        base = high;
      else if (low < high)
        add(base + low, base + high);
    }
  }

  void entries(uint64_t offset) const {
    enum { End, BaseX, StartXEndX, StartXLength, OffsetPair, Base, StartEnd, StartLength };
    DwarfReader r = readerAt(sections.rangeLists, offset);
    uint64_t base = unit.low;
    for (; !r.bad && budget; --budget) {
      uint64_t low = 0, high = 0;
      switch (r.fixed<uint8_t>()) {
      case BaseX:
        base = indexed(r);
        continue;
      case StartXEndX:
        low = indexed(r), high = indexed(r);
        break;
      case StartXLength:
        low = indexed(r), high = low + r.unsignedLeb();
        break;
      case OffsetPair:
        low = r.unsignedLeb(), high = r.unsignedLeb();
        if (low < high)
          low += base, high += base;
        break;
      case Base:
        base = address(r);
        continue;
      case StartEnd:
        low = address(r), high = address(r);
        break;
      case StartLength:
        low = address(r), high = low + r.unsignedLeb();
        break;
      default: // End, or unknown
        return;
      }
      if (!r.bad)
        add(low, high);
    }
  }

  void read(AttributeValue value) const {
    if (unit.version < 5)
      return pairs(value.number);
    uint64_t offset = value.number;
    if (value.form == Rnglistx) {
      if (offset > sections.rangeLists.size || unit.listsBase > sections.rangeLists.size)
        return;
      DwarfReader r = readerAt(sections.rangeLists, unit.listsBase + offset * unit.offsetBytes);
      offset = unit.listsBase + r.offset(unit.offsetBytes);
      if (r.bad)
        return;
    }
    entries(offset);
  }
};

} // namespace

void rangesOf(const DwarfSections &sections, const DebugUnit &unit, AttributeValue low,
              AttributeValue high, AttributeValue list, uint64_t &budget,
              std::vector<AddressRange> &found) {
  List lists{sections, unit, budget, found};
  if (list)
    return lists.read(list);
  uint64_t from = 0, to = 0;
  if (!budget || !low || !high || !addressOf(sections, unit, low, from))
    return;
  if (!addressOf(sections, unit, high, to))
    to = from + high.number;
  --budget;
  lists.add(from, to);
}

} // namespace gpuinstr::attach
