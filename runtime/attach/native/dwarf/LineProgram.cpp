// File and line of an address, from DWARF's line programs (versions 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/LineProgram.h"

namespace gpuinstr::attach {

namespace {

/// A first use of a line must not take longer than a program may notice.
constexpr uint64_t LargestSection = 64 << 20;

constexpr size_t MostRows = 1 << 22; ///< that are kept of a unit

struct FileEntry {
  std::string name;
  uint64_t folder = 0;
};

/// One unit's header and what its program runs on.
struct Unit {
  explicit Unit(const DwarfSections &sections) : sections(sections) {}

  const DwarfSections &sections;
  unsigned version = 0, offsetBytes = 4, minimum = 1, opcodeBase = 0, lineRange = 1;
  int lineBase = 0;
  std::vector<uint8_t> lengths;
  std::vector<std::string> folders;
  std::vector<FileEntry> files;

  uint64_t offset(DwarfReader &r) const { return r.offset(offsetBytes); }

  /// A value of DWARF 5's tables: a text, or a number.
  void value(DwarfReader &r, uint64_t form, std::string &text, uint64_t &number) {
    enum { Data1 = 0xb, Data2 = 5, Data4 = 6, Data8 = 7, Data16 = 0x1e, Udata = 0xf, Block = 9 };
    enum { String = 8, Strp = 0xe, LineStrp = 0x1f };
    switch (form) {
    case String:
      text = r.text();
      return;
    case Strp:
      text = textAt(sections.texts, offset(r));
      return;
    case LineStrp:
      text = textAt(sections.lineTexts, offset(r));
      return;
    case Data1:
      number = r.fixed<uint8_t>();
      return;
    case Data2:
      number = r.fixed<uint16_t>();
      return;
    case Data4:
      number = r.fixed<uint32_t>();
      return;
    case Data8:
      number = r.fixed<uint64_t>();
      return;
    case Data16:
      r.skip(16);
      return;
    case Udata:
      number = r.unsignedLeb();
      return;
    case Block:
      r.skip(r.unsignedLeb());
      return;
    }
    r.bad = true;
  }

  std::vector<FileEntry> entries(DwarfReader &r) {
    enum { Path = 1, Folder = 2 };
    std::vector<std::pair<uint64_t, uint64_t>> format(r.fixed<uint8_t>());
    for (auto &one : format)
      one = {r.unsignedLeb(), r.unsignedLeb()};
    std::vector<FileEntry> all;
    uint64_t count = r.unsignedLeb();
    r.bad |= count && format.empty();
    while (count-- && !r.bad) {
      FileEntry entry;
      for (auto &[what, form] : format) {
        std::string text;
        uint64_t number = 0;
        value(r, form, text, number);
        if (what == Path)
          entry.name = text;
        if (what == Folder)
          entry.folder = number;
      }
      all.push_back(std::move(entry));
    }
    return all;
  }

  void readTables(DwarfReader &r, const std::string &own) {
    if (version >= 5) {
      for (FileEntry &folder : entries(r))
        folders.push_back(folder.name);
      files = entries(r);
      return;
    }
    folders.push_back(own);
    while (!r.bad && r.at < r.end && *r.at)
      folders.push_back(r.text());
    r.skip(1);
    files.push_back({});
    while (!r.bad && r.at < r.end && *r.at) {
      FileEntry entry{r.text(), r.unsignedLeb()};
      r.unsignedLeb();
      r.unsignedLeb();
      files.push_back(std::move(entry));
    }
    r.skip(1);
  }

  std::string path(uint64_t file) const {
    if (file >= files.size())
      return "";
    const FileEntry &entry = files[file];
    if (entry.name.empty() || entry.name[0] == '/' || entry.folder >= folders.size())
      return entry.name;
    std::string folder = folders[entry.folder];
    if (!folder.empty() && folder[0] != '/' && entry.folder && !folders[0].empty())
      folder = folders[0] + "/" + folder;
    return folder.empty() ? entry.name : folder + "/" + entry.name;
  }
};

struct State {
  uint64_t address = 0, file = 1, column = 0;
  int64_t line = 1;
};

/// Runs the unit's program; each row goes to `emit` with whether it ends a sequence, until that
/// says that it has enough.
template <class Emit> void run(const Unit &unit, DwarfReader r, Emit emit) {
  State row;
  auto advance = [&](uint64_t by) { row.address += by * unit.minimum; };
  while (r.at < r.end && !r.bad) {
    uint8_t opcode = r.fixed<uint8_t>();
    if (opcode >= unit.opcodeBase) {
      unsigned special = opcode - unit.opcodeBase;
      advance(special / unit.lineRange);
      row.line += unit.lineBase + int(special % unit.lineRange);
      if (emit(row, false))
        return;
      continue;
    }
    switch (opcode) {
    case 0: {
      uint64_t length = r.unsignedLeb();
      if (length == 0 || length > uint64_t(r.end - r.at))
        return;
      const uint8_t *next = r.at + length;
      uint8_t extended = r.fixed<uint8_t>();
      if (extended == 1) {
        if (emit(row, true))
          return;
        row = State();
      } else if (extended == 2 && length == 9) {
        row.address = r.fixed<uint64_t>();
      }
      r.at = next;
      break;
    }
    case 1:
      if (emit(row, false))
        return;
      break;
    case 2:
      advance(r.unsignedLeb());
      break;
    case 3:
      row.line += r.signedLeb();
      break;
    case 4:
      row.file = r.unsignedLeb();
      break;
    case 5:
      row.column = r.unsignedLeb();
      break;
    case 8:
      advance((255 - unit.opcodeBase) / unit.lineRange);
      break;
    case 9:
      row.address += r.fixed<uint16_t>();
      break;
    default:
      for (uint8_t i = 0; i < unit.lengths[opcode]; ++i)
        r.unsignedLeb();
    }
  }
}

bool readHeader(Unit &unit, DwarfReader &r, DwarfReader &program, const std::string &folder) {
  unit.version = r.fixed<uint16_t>();
  if (unit.version < 2 || unit.version > 5)
    return false;
  if (unit.version >= 5)
    r.skip(2);
  uint64_t header = unit.offset(r);
  if (header > uint64_t(r.end - r.at))
    return false;
  program = {r.at + header, r.end};
  unit.minimum = r.fixed<uint8_t>();
  if (unit.version >= 4)
    r.skip(1);
  r.skip(1);
  unit.lineBase = r.fixed<int8_t>();
  unit.lineRange = r.fixed<uint8_t>();
  unit.opcodeBase = r.fixed<uint8_t>();
  unit.lengths.assign(1, 0);
  for (unsigned i = 1; i < unit.opcodeBase; ++i)
    unit.lengths.push_back(r.fixed<uint8_t>());
  if (!unit.lineRange || !unit.opcodeBase)
    return false;
  unit.readTables(r, folder);
  return !r.bad;
}

/// What follows the unit's length. `all` moves behind it.
bool nextUnit(DwarfReader &all, Unit &unit, DwarfReader &r) {
  uint64_t length = all.fixed<uint32_t>();
  if (length == 0xffffffff) {
    unit.offsetBytes = 8;
    length = all.fixed<uint64_t>();
  }
  if (all.bad || length > uint64_t(all.end - all.at))
    return false;
  r = {all.at, all.at + length};
  all.at += length;
  return true;
}

} // namespace

LineTable::LineTable(const DwarfSections &sections, uint64_t offset, const std::string &folder) {
  DwarfReader all = readerAt(sections.lines, offset), r = all, program = all;
  Unit unit(sections);
  if (!nextUnit(all, unit, r) || !readHeader(unit, r, program, folder))
    return;
  for (size_t i = 0; i < unit.files.size(); ++i)
    Files.push_back(unit.path(i));
  run(unit, program, [&](const State &row, bool isEnd) {
    Rows.push_back(
        {row.address, uint32_t(row.file), uint32_t(row.line), uint16_t(row.column), isEnd});
    return Rows.size() >= MostRows;
  });
  Rows.shrink_to_fit();
}

SourceLine LineTable::at(uint64_t address) const {
  for (size_t i = 0; i + 1 < Rows.size(); ++i) {
    const Row &row = Rows[i];
    if (!row.isEnd && address >= row.address && address < Rows[i + 1].address)
      return {file(row.file), row.line, row.column};
  }
  return {};
}

size_t LineTable::bytes() const {
  size_t total = Rows.size() * sizeof(Row);
  for (auto &file : Files)
    total += file.size() + sizeof file;
  return total;
}

SourceLine lineAt(const DwarfSections &sections, uint64_t address) {
  SourceLine found;
  if (sections.lines.size > LargestSection)
    return found;
  DwarfReader all = readerAt(sections.lines, 0);
  bool isFound = false;
  while (all.at < all.end && !isFound) {
    Unit unit(sections);
    DwarfReader r = all, program = all;
    if (!nextUnit(all, unit, r))
      break;
    if (!readHeader(unit, r, program, ""))
      continue;
    State before;
    bool isOpen = false;
    run(unit, program, [&](const State &row, bool isEnd) {
      isFound = isOpen && address >= before.address && address < row.address;
      if (isFound)
        found = {unit.path(before.file), uint32_t(before.line), uint32_t(before.column)};
      before = row;
      isOpen = !isEnd;
      return isFound;
    });
  }
  return found;
}

} // namespace gpuinstr::attach
