// Source lines of one module, with the functions that were inlined.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/DebugModule.h"
#include <algorithm>

namespace gpuinstr::attach {

/// What an entry says of its name.
struct Named {
  std::string name, linkage;
  uint64_t origin = NoOffset; ///< an entry that says more
};

namespace {

constexpr uint64_t LargestInfo = uint64_t(1) << 30; ///< of which the heads of units are read
constexpr uint64_t LargestUnit = 64 << 20;          ///< of which all is
constexpr uint64_t MostUnits = 1 << 20, MostRanges = 1 << 22;
constexpr unsigned DeepestInline = 64, DeepestScope = 16, DeepestOrigin = 8;

} // namespace

DebugModule::DebugModule(const DwarfSections &sections, size_t mostKept) : Most(mostKept) {
  KnowsAll = sections.info.size && sections.info.size <= LargestInfo;
  if (!KnowsAll)
    return;
  uint64_t budget = MostRanges;
  DebugUnit unit;
  std::vector<AddressRange> found;
  uint64_t at = 0;
  for (; Units.size() < MostUnits && readUnit(sections, at, unit); at = unit.end) {
    found.clear();
    if (unit.hasCode && unit.ranges)
      rangesOf(sections, unit, {}, {}, unit.ranges, budget, found);
    else if (unit.hasCode && unit.low && unit.low < unit.high) // at 0: thrown away
      found.push_back({unit.low, unit.high});
    for (auto &range : found)
      Ranges.push_back({range.low, range.high, uint32_t(Units.size())});
    KnowsAll &= !unit.isUnread && unit.end - unit.at <= LargestUnit;
    Units.push_back(unit);
  }
  KnowsAll &= at == sections.info.size && budget;
  Kept.resize(Units.size());
  Bytes = Units.size() * (sizeof(DebugUnit) + sizeof Kept[0]) + Ranges.size() * sizeof(Covered);
}

DebugModule::Tables::Tables(const DwarfSections &sections, const DebugUnit &unit)
    : inlines(sections, unit), lines(sections, unit.lines, textOf(sections, unit, unit.folder)) {}

const DebugModule::Tables *DebugModule::tables(const DwarfSections &sections, size_t unit) {
  if (unit >= Units.size() || Units[unit].end - Units[unit].at > LargestUnit)
    return nullptr;
  if (!Kept[unit]) {
    Kept[unit] = std::make_unique<Tables>(sections, Units[unit]);
    Bytes += Kept[unit]->bytes();
  }
  return Kept[unit].get();
}

size_t DebugModule::unitOf(uint64_t entry) const {
  auto at = std::upper_bound(Units.begin(), Units.end(), entry,
                             [](uint64_t wanted, auto &unit) { return wanted < unit.at; });
  return at == Units.begin() ? Units.size() : size_t(at - Units.begin()) - 1;
}

void DebugModule::readEntry(const DwarfSections &sections, uint64_t entry, Named &named) {
  const size_t number = unitOf(entry);
  const Tables *tables = this->tables(sections, number);
  if (!tables)
    return;
  const DebugUnit &unit = Units[number];
  if (entry < unit.entries || entry >= unit.end)
    return;
  DwarfReader r = readerAt(sections.info, entry);
  r.end = sections.info.data + unit.end;
  const Abbreviation *what = tables->inlines.abbreviations().find(r.unsignedLeb());
  if (!what)
    return;
  const AttributeSpec *spec = tables->inlines.abbreviations().attributes(*what);
  for (uint32_t i = 0; i < what->count && !r.bad; ++i) {
    AttributeValue value = readValue(r, unit, sections.info, spec[i]);
    switch (spec[i].name) {
    case dwarf::Name:
      named.name = textOf(sections, unit, value);
      break;
    case dwarf::LinkageName:
    case dwarf::MipsLinkageName:
      named.linkage = textOf(sections, unit, value);
      break;
    case dwarf::AbstractOrigin:
    case dwarf::Specification:
      named.origin = entryOf(unit, value);
      break;
    }
  }
}

/// With `::` behind it; "" where it is no namespace, class or function around it.
std::string DebugModule::scopeOf(const DwarfSections &sections, uint64_t entry) {
  std::string scope;
  for (unsigned depth = 0; depth < DeepestScope; ++depth) {
    const Tables *tables = this->tables(sections, unitOf(entry));
    entry = tables ? tables->inlines.around(entry) : NoOffset;
    if (entry == NoOffset)
      return scope;
    Named named;
    readEntry(sections, entry, named);
    for (unsigned more = 0; more < DeepestOrigin && named.name.empty(); ++more) {
      if (named.origin == NoOffset)
        break;
      uint64_t next = named.origin;
      named.origin = NoOffset;
      readEntry(sections, entry = next, named);
    }
    scope.insert(0, (named.name.empty() ? "(anonymous namespace)" : named.name) + "::");
  }
  return scope;
}

std::string DebugModule::nameOf(const DwarfSections &sections, uint64_t entry) {
  Named named;
  for (unsigned depth = 0; depth < DeepestOrigin && entry != NoOffset; ++depth) {
    std::string name = std::move(named.name);
    named = Named();
    readEntry(sections, entry, named);
    if (!named.linkage.empty())
      return named.linkage;
    if (named.name.empty())
      named.name = std::move(name);
    if (named.origin == NoOffset)
      break;
    entry = named.origin;
  }
  return named.name.empty() ? "" : scopeOf(sections, entry) + named.name;
}

/// Too much is kept: of others nothing is.
void DebugModule::keepOnly(size_t unit) {
  for (size_t i = 0; i < Kept.size(); ++i)
    if (i != unit && Kept[i]) {
      Bytes -= Kept[i]->bytes();
      Kept[i].reset();
    }
}

std::vector<SourceFrame> DebugModule::inUnit(const DwarfSections &sections, size_t unit,
                                             uint64_t address) {
  const Tables *known = tables(sections, unit);
  if (!known)
    return {};
  SourceLine line = known->lines.at(address);
  std::vector<SourceFrame> frames;
  for (uint32_t call = known->inlines.at(address); frames.size() < DeepestInline;) {
    bool isKnown = call != InlineTable::None;
    frames.push_back({line, isKnown ? nameOf(sections, known->inlines[call].entry) : ""});
    if (!isKnown || known->inlines[call].outer == InlineTable::None)
      break;
    const InlinedCall &inlined = known->inlines[call];
    line = {known->lines.file(inlined.file), inlined.line, inlined.column};
    call = inlined.outer;
  }
  if (!frames[0].at.line && frames.size() == 1)
    frames.clear();
  return frames;
}

std::vector<SourceFrame> DebugModule::at(const DwarfSections &sections, uint64_t address) {
  for (auto &range : Ranges) {
    if (address < range.low || address >= range.high)
      continue;
    std::vector<SourceFrame> frames = inUnit(sections, range.unit, address);
    if (Bytes > Most)
      keepOnly(range.unit);
    if (frames.empty()) // too large, perhaps
      break;
    return frames;
  }
  SourceLine line;
  if (!KnowsAll)
    line = lineAt(sections, address);
  if (!line.line)
    return {};
  return {{line, ""}};
}

} // namespace gpuinstr::attach
