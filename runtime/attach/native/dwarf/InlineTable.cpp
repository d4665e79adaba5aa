// Functions of one unit, and what was inlined into them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/InlineTable.h"
#include <algorithm>

namespace gpuinstr::attach {

namespace {

constexpr size_t DeepestEntry = 1024;
constexpr uint64_t MostRanges = 1 << 21, MostScopes = 1 << 22; ///< of a unit

bool isScope(uint16_t tag) {
  return tag == dwarf::Namespace || tag == dwarf::ClassType || tag == dwarf::StructureType ||
         tag == dwarf::UnionType || tag == dwarf::Subprogram;
}

} // namespace

/// Goes through the unit's entries, in their order.
struct InlineTable::Reading {
  struct Open {
    uint32_t call;   ///< the innermost around what follows
    uint64_t around; ///< likewise, the scope
  };

  InlineTable &table;
  const DwarfSections &sections;
  const DebugUnit &unit;
  std::vector<Open> open;
  uint64_t budget = MostRanges;
  std::vector<AddressRange> found; ///< of one entry

  void skip(DwarfReader &r, const Abbreviation &what) const {
    const AttributeSpec *spec = table.Table.attributes(what);
    for (uint32_t i = 0; i < what.count && !r.bad; ++i)
      readValue(r, unit, sections.info, spec[i]);
  }

  /// A function or an inlined call: its number; None: a function without code.
  uint32_t code(DwarfReader &r, const Abbreviation &what, uint64_t entry, uint32_t outer) {
    AttributeValue low, high, list;
    InlinedCall call{entry, outer, 0, 0, 0};
    const AttributeSpec *spec = table.Table.attributes(what);
    for (uint32_t i = 0; i < what.count && !r.bad; ++i) {
      AttributeValue value = readValue(r, unit, sections.info, spec[i]);
      switch (spec[i].name) {
      case dwarf::LowPc:
        low = value;
        break;
      case dwarf::HighPc:
        high = value;
        break;
      case dwarf::Ranges:
        list = value;
        break;
      case dwarf::CallFile:
        call.file = uint32_t(value.number);
        break;
      case dwarf::CallColumn:
        call.column = uint32_t(value.number);
        break;
      case dwarf::CallLine:
        call.line = uint32_t(value.number);
        break;
      }
    }
    found.clear();
    if (!r.bad)
      rangesOf(sections, unit, low, high, list, budget, found);
    if ((found.empty() && outer == None) || table.Calls.size() >= MostRanges)
      return outer;
    uint32_t number = uint32_t(table.Calls.size());
    for (auto &range : found)
      table.Ranges.push_back({range.low, range.high, number});
    table.Calls.push_back(call);
    return number;
  }

  void read() {
    DwarfReader r = readerAt(sections.info, unit.entries);
    r.end = sections.info.data + unit.end;
    while (r.at < r.end && !r.bad && open.size() < DeepestEntry &&
           table.Scopes.size() < MostScopes) {
      uint64_t entry = uint64_t(r.at - sections.info.data), code = r.unsignedLeb();
      if (!code) {
        if (open.empty())
          return;
        open.pop_back();
        continue;
      }
      const Abbreviation *what = table.Table.find(code);
      if (!what)
        return;
      Open inside = open.empty() ? Open{None, NoOffset} : open.back();
      if (isScope(what->tag))
        table.Scopes.push_back({entry, inside.around});
      if (what->tag == dwarf::Subprogram)
        inside.call = this->code(r, *what, entry, None);
      else if (what->tag == dwarf::InlinedSubroutine && inside.call != None)
        inside.call = this->code(r, *what, entry, inside.call);
      else
        skip(r, *what);
      if (isScope(what->tag))
        inside.around = entry;
      if (what->hasChildren)
        open.push_back(inside);
    }
  }
};

InlineTable::InlineTable(const DwarfSections &sections, const DebugUnit &unit)
    : Table(sections.abbreviations, unit.abbreviations) {
  Reading reading{*this, sections, unit, {}, MostRanges, {}};
  reading.read();
  Calls.shrink_to_fit();
  Ranges.shrink_to_fit();
  Scopes.shrink_to_fit();
}

uint32_t InlineTable::at(uint64_t address) const {
  uint32_t innermost = None; // what lies inside comes later
  for (auto &range : Ranges)
    if (address >= range.low && address < range.high)
      innermost = range.call;
  return innermost;
}

uint64_t InlineTable::around(uint64_t entry) const {
  auto at = std::lower_bound(Scopes.begin(), Scopes.end(), entry,
                             [](auto &scope, uint64_t wanted) { return scope.entry < wanted; });
  return at != Scopes.end() && at->entry == entry ? at->around : NoOffset;
}

size_t InlineTable::bytes() const {
  return Calls.size() * sizeof(InlinedCall) + Ranges.size() * sizeof(Covered) +
         Scopes.size() * sizeof(Scope) + Table.size() * sizeof(AttributeSpec);
}

} // namespace gpuinstr::attach
