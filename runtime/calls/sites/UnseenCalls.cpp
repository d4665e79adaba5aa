// Calls of CUDA by object files of an instrumented image that were not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// x86-64: a call is a relative jump to the function or to its stub in the image, whose one jump
// goes through the function's entry in the table of addresses; or it goes through that entry itself
// (-fno-plt). Instructions are not decoded: the bytes before an address have to be those of such a
// reference, for numbers near by stand in code often.
#include "calls/sites/UnseenCalls.h"
#include "base/elf/DynamicEntries.h"
#include "base/elf/ElfFile.h"
#include "calls/sites/CudaFunctions.h"
#include "calls/sites/NearNumbers.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace gpuinstr {

namespace {

struct Range {
  uint64_t begin, end;
  bool has(uint64_t address) const { return begin <= address && address < end; }
};

using Names = std::map<uint64_t, std::string>; ///< by address

/// The image's relocations by symbol: where the linker puts addresses of other images' functions.
class Relocations {
public:
  explicit Relocations(const dl_phdr_info &image) : Base(image.dlpi_addr) {
    const DynamicEntries dynamic(image);
    Symbols = dynamic.at<ElfW(Sym)>(DT_SYMTAB);
    Strings = dynamic.at<char>(DT_STRTAB);
    Tables[0] = dynamic.at<ElfW(Rela)>(DT_RELA);
    Bytes[0] = dynamic.value(DT_RELASZ);
    Tables[1] = dynamic.at<ElfW(Rela)>(DT_JMPREL);
    Bytes[1] = dynamic.value(DT_PLTRELSZ);
  }

  /// Those of the two types that tables of addresses have; data has plain addresses.
  void collect(Names &table, Names &data) const {
    for (int t = 0; t < 2 && Symbols && Strings; ++t)
      for (uint64_t i = 0; Tables[t] && i < Bytes[t] / sizeof(ElfW(Rela)); ++i) {
        const ElfW(Rela) &r = Tables[t][i];
        const auto type = ELF64_R_TYPE(r.r_info);
        const bool isEntry = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
        if (!isEntry && type != R_X86_64_64)
          continue;
        const char *name = Strings + Symbols[ELF64_R_SYM(r.r_info)].st_name;
        if (isCudaWork(name))
          (isEntry ? table : data).emplace(Base + r.r_offset, name);
      }
  }

private:
  uint64_t Base, Bytes[2] = {};
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  const ElfW(Rela) * Tables[2] = {};
};

/// What the file tells beside the image in memory: empty where it has been stripped.
struct FileFacts {
  Names functions;            ///< of a CUDA runtime and libraries that are linked in
  std::vector<Range> nvidias; ///< where their code lies
  std::vector<Range> stubs;   ///< sections of them
  std::vector<Range> code;    ///< sections of it, stubs among them
};

void readSymbols(const ElfFile &file, uint64_t base, FileFacts &facts) {
  const Bytes symbols = file.section(".symtab"), strings = file.section(".strtab");
  if (!strings.size || strings.data[strings.size - 1] != 0)
    return;
  auto *all = reinterpret_cast<const ElfW(Sym) *>(symbols.data);
  for (uint64_t i = 0; i < symbols.size / sizeof *all; ++i) {
    if (ELF64_ST_TYPE(all[i].st_info) != STT_FUNC || all[i].st_shndx == SHN_UNDEF ||
        all[i].st_name >= strings.size)
      continue;
    const char *name = reinterpret_cast<const char *>(strings.data) + all[i].st_name;
    if (!isOfNvidia(name))
      continue;
    const uint64_t at = base + all[i].st_value;
    facts.nvidias.push_back({at, at + all[i].st_size});
    if (isCudaWork(name))
      facts.functions.emplace(at, name);
  }
}

/// Not another one that has been built in its place since.
bool isOf(const ElfFile &file, const dl_phdr_info &image) {
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto &segment = image.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && segment.p_offset == 0)
      return file.whole().size >= sizeof(ElfW(Ehdr)) && segment.p_filesz >= sizeof(ElfW(Ehdr)) &&
             std::memcmp(file.whole().data,
                         reinterpret_cast<const void *>(image.dlpi_addr + segment.p_vaddr),
                         sizeof(ElfW(Ehdr))) == 0;
  }
  return false;
}

FileFacts readFile(const dl_phdr_info &image, const char *path) {
  const ElfFile file(path);
  FileFacts facts;
  if (!isOf(file, image))
    return facts;
  readSymbols(file, image.dlpi_addr, facts);
  for (const Bytes &code : file.code())
    facts.code.push_back(
        {image.dlpi_addr + code.address, image.dlpi_addr + code.address + code.size});
  for (const char *name : {".plt", ".plt.sec", ".plt.got"})
    if (const Bytes stubs = file.section(name); stubs.size)
      facts.stubs.push_back(
          {image.dlpi_addr + stubs.address, image.dlpi_addr + stubs.address + stubs.size});
  return facts;
}

bool isAt(const uint8_t *code, const uint8_t *begin, std::initializer_list<uint8_t> bytes) {
  return code >= begin && std::equal(bytes.begin(), bytes.end(), code);
}

/// Where the stub begins whose jump through the table stands at `jump`: linkers differ in what
/// they put before it.
const uint8_t *stubOf(const uint8_t *jump, const uint8_t *begin) {
  if (isAt(jump - 10, begin, {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb}))
    return jump - 10;
  const uint8_t *start = isAt(jump - 1, begin, {0xf2}) ? jump - 1 : jump;
  return isAt(start - 4, begin, {0xf3, 0x0f, 0x1e, 0xfa}) ? start - 4 : start;
}

struct Code {
  const uint8_t *begin, *end;
};

/// What a reference leads to: an entry of the table is read, a function is jumped to. Numbers near
/// to the table are common in code, as are ones that look like opcodes.
enum class Target { Entry, Function };

/// Whether the four bytes are what a call, a jump or an operand is relative by: padding in front of
/// a function would else read as a reference to it.
bool isRelative(const uint8_t *at, Target target) {
  const uint8_t before = at[-1], opcode = at[-2];
  const bool isOperand = (before & 0xc7) == 5;
  if (isOperand && opcode == 0x8d) // its address
    return true;
  if (target == Target::Entry)
    return isOperand && (opcode == 0x8b || opcode == 0xff);
  return before == 0xe8 || before == 0xe9 || (opcode == 0x0f && (before & 0xf0) == 0x80);
}

/// Whether they are a number that is pushed, or put into a register or memory.
bool isAbsolute(const uint8_t *at, const uint8_t *begin) {
  if (at[-1] == 0x68 || (at[-1] & 0xf8) == 0xb8)
    return true;
  for (int bytes : {1, 2, 3, 5, 6}) { // of the operand
    if (at - begin <= bytes || at[-bytes - 1] != 0xc7)
      continue;
    const uint8_t operand = at[-bytes], mode = operand >> 6, base = operand & 7;
    const bool hasIndex = mode != 3 && base == 4;
    const bool isWide = mode == 2 || (mode == 0 && (hasIndex ? at[-bytes + 1] & 7 : base) == 5);
    if ((operand & 0x38) == 0 && bytes == 1 + hasIndex + (isWide ? 4 : mode == 1))
      return true;
  }
  return false;
}

/// The code that was compiled with the plugin, and CUDA's own.
class Search {
public:
  Search(const gpuinstr_code *code, const gpuinstr_code *end, std::vector<Range> nvidias)
      : Seen(std::move(nvidias)) {
    for (; code < end; ++code) {
      const uint64_t begin = uint64_t(code) + int64_t(code->begin);
      Seen.push_back({begin, begin + code->bytes});
    }
    std::sort(Seen.begin(), Seen.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    size_t last = 0; // functions have other names, and names inside
    for (size_t i = 1; i < Seen.size(); ++i)
      if (Seen[i].begin <= Seen[last].end)
        Seen[last].end = std::max(Seen[last].end, Seen[i].end);
      else
        Seen[++last] = Seen[i];
    Seen.resize(Seen.empty() ? 0 : last + 1);
  }

  /// Calls part(begin, end) for each part of [begin, end) that is neither: most of a program with
  /// a CUDA runtime linked in is.
  template <class Part> void eachUnseen(const uint8_t *begin, const uint8_t *end, Part part) const {
    auto next = std::upper_bound(Seen.begin(), Seen.end(), uint64_t(begin),
                                 [](uint64_t a, const Range &r) { return a < r.end; });
    while (begin < end) {
      const bool isLast = next == Seen.end() || next->begin >= uint64_t(end);
      const auto *stop = isLast ? end : reinterpret_cast<const uint8_t *>(next->begin);
      if (begin < stop)
        part(begin, stop);
      if (isLast)
        return;
      begin = reinterpret_cast<const uint8_t *>(next->end);
      ++next;
    }
  }

private:
  std::vector<Range> Seen; ///< by where they begin; they lie apart
};

/// Calls found(place, name) for each reference relative to the instruction pointer, and for
/// absolute ones of 32 bits where the image lies at fixed addresses; not for those in seen code.
template <class Found>
void eachReference(const Code &code, const Search &search, const Names &targets, Target kind,
                   bool isFixed, Found found) {
  if (targets.empty() || code.end - code.begin < 6)
    return;
  const uint64_t low = targets.begin()->first;
  const NearNumbers near(low, targets.rbegin()->first - low, isFixed);
  auto look = [&](uint64_t address, const uint8_t *at) {
    if (auto hit = targets.find(address); hit != targets.end())
      found(at, hit->second);
  };
  search.eachUnseen(code.begin + 2, code.end - 3, [&](const uint8_t *at, const uint8_t *end) {
    while (at < end) {
      const uint8_t *stop = std::min(at + NearNumbers::Step, end);
      // The numbers at the last of them end three bytes later: that is within the code.
      if (stop - at == NearNumbers::Step && !near.mayBeAt(at)) {
        at = stop;
        continue;
      }
      for (; at < stop; ++at) {
        if (near.relative(at) && isRelative(at, kind))
          look(near.relativeAt(at), at);
        if (near.absolute(at) && isAbsolute(at, code.begin))
          look(near.absoluteAt(at), at);
      }
    }
  });
}

/// Some linkers put data into the segment of the code: the sections tell, where there are any.
std::vector<Code> codeOf(const dl_phdr_info &image, const std::vector<Range> &sections) {
  std::vector<Code> code;
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto &segment = image.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_X)) != (PF_R | PF_X))
      continue;
    const uint64_t start = image.dlpi_addr + segment.p_vaddr;
    const Range all{start, start + segment.p_filesz};
    auto add = [&](const Range &part) {
      code.push_back({reinterpret_cast<const uint8_t *>(part.begin),
                      reinterpret_cast<const uint8_t *>(part.end)});
    };
    if (sections.empty())
      add(all);
    for (const Range &part : sections)
      if (all.has(part.begin) && part.end <= all.end)
        add(part);
  }
  return code;
}

} // namespace

std::vector<std::string> unseenCalls(const dl_phdr_info &image, const char *path,
                                     const SeenCode &seen) {
  Names table, data;
  Relocations(image).collect(table, data);
  FileFacts file = readFile(image, path);
  const Search search(seen.begin, seen.end, file.nvidias);
  const std::vector<Code> all = codeOf(image, file.code);
  std::vector<std::string> unseen;
  // A stub is code outside as well: only its jump goes through the table.
  auto isStub = [&](const uint8_t *jump) {
    return file.stubs.empty() ||
           std::any_of(file.stubs.begin(), file.stubs.end(),
                       [&](const Range &stubs) { return stubs.has(uint64_t(jump)); });
  };
  for (const Code &part : all)
    eachReference(part, search, table, Target::Entry, false,
                  [&](const uint8_t *at, const std::string &name) {
                    if (isAt(at - 2, part.begin, {0xff, 0x25}) && isStub(at))
                      file.functions.emplace(uint64_t(stubOf(at - 2, part.begin)), name);
                    else
                      unseen.push_back(name);
                  });
  for (const Code &part : all)
    eachReference(part, search, file.functions, Target::Function, image.dlpi_addr == 0,
                  [&](const uint8_t *, const std::string &name) { unseen.push_back(name); });
  const auto &taken = seen.addressesTaken;
  for (const auto &entry : data)
    if (std::find(taken.begin(), taken.end(), entry.second) == taken.end())
      unseen.push_back(entry.second);
  std::sort(unseen.begin(), unseen.end());
  unseen.erase(std::unique(unseen.begin(), unseen.end()), unseen.end());
  return unseen;
}

} // namespace gpuinstr
