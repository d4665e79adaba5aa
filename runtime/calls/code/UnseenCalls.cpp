// Calls of CUDA by object files of an instrumented image that were not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// x86-64: a call is a relative jump to the function or to its stub in the image, whose one jump
// goes through the function's entry in the table of addresses; or it goes through that entry itself
// (-fno-plt). Instructions are not decoded: the bytes before an address have to be those of such a
// reference, for numbers near by stand in code often.
#include "calls/code/UnseenCalls.h"
#include "base/elf/DynamicEntries.h"
#include "base/elf/ElfFile.h"
#include "base/text/Prefix.h"
#include "calls/code/ImageData.h"
#include "calls/code/NearNumbers.h"
#include "calls/sites/CudaFunctions.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr {

namespace {

/// The image's relocations by symbol: where the loader puts addresses of other images' functions.
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

  /// Where addresses of other images' functions are put: those of CUDA's in tables, of the two
  /// types that these have, and in data, but for harmless ones; those of the loader's look-ups;
  /// those of any of CUDA's.
  struct Found {
    Names table, data, lookUps;
    std::set<uint64_t> imported;
  };
  Found collect() const {
    Found found;
    for (int t = 0; t < 2 && Symbols && Strings; ++t)
      for (uint64_t i = 0; Tables[t] && i < Bytes[t] / sizeof(ElfW(Rela)); ++i) {
        const ElfW(Rela) &r = Tables[t][i];
        const auto type = ELF64_R_TYPE(r.r_info);
        const bool isEntry = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
        if (!isEntry && type != R_X86_64_64)
          continue;
        const char *name = Strings + Symbols[ELF64_R_SYM(r.r_info)].st_name;
        if (startsWith(name, "cuda") || startsWith(name, "__cuda"))
          found.imported.insert(Base + r.r_offset);
        if (isCudaWork(name))
          (isEntry ? found.table : found.data).emplace(Base + r.r_offset, name);
        else if (isLookUp(name) && isEntry)
          found.lookUps.emplace(Base + r.r_offset, name);
      }
    return found;
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
  bool hasLocals = false;     ///< local ones among its symbols, so hidden ones as well
  std::vector<Range> stubs;   ///< sections of them
  std::vector<Range> code;    ///< sections of it, stubs among them
  std::vector<Range> skipped; ///< sections of data in which pointers do not count
};

void readSymbols(const ElfFile &file, uint64_t base, const LinkedRuntime &linked,
                 FileFacts &facts) {
  const Bytes symbols = file.section(".symtab"), strings = file.section(".strtab");
  if (!strings.size || strings.data[strings.size - 1] != 0)
    return;
  auto *all = reinterpret_cast<const ElfW(Sym) *>(symbols.data);
  for (uint64_t i = 0; i < symbols.size / sizeof *all; ++i) {
    if (ELF64_ST_TYPE(all[i].st_info) != STT_FUNC || all[i].st_shndx == SHN_UNDEF ||
        all[i].st_name >= strings.size)
      continue;
    const char *name = reinterpret_cast<const char *>(strings.data) + all[i].st_name;
    facts.hasLocals |= ELF64_ST_BIND(all[i].st_info) == STB_LOCAL;
    const uint64_t at = base + all[i].st_value;
    if (!isOfNvidia(name) && !linked.code().has(at))
      continue;
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

FileFacts readFile(const dl_phdr_info &image, const char *path, const LinkedRuntime &linked) {
  const ElfFile file(path);
  FileFacts facts;
  if (!isOf(file, image))
    return facts;
  auto place = [&](const Bytes &section) {
    const uint64_t begin = image.dlpi_addr + section.address;
    return Range{begin, begin + section.size};
  };
  readSymbols(file, image.dlpi_addr, linked, facts);
  for (const Bytes &code : file.code())
    facts.code.push_back(place(code));
  facts.skipped = facts.code;
  for (const char *name : {".plt", ".plt.sec", ".plt.got"})
    facts.stubs.push_back(place(file.section(name)));
  for (const char *name :
       {".got", ".got.plt", ".dynsym", ".rela.dyn", ".nv_fatbin", "__nv_relfatbin"})
    facts.skipped.push_back(place(file.section(name)));
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

/// Where no list of sections tells: a stub's jump has others in front of it or behind it, the first
/// one that of the stub by which the loader is called.
bool standsInRow(const uint8_t *jump, const uint8_t *begin) {
  for (int bytes : {8, 16})
    if (isAt(jump - bytes, begin, {0xff, 0x25}) || isAt(jump - bytes, begin, {0xff, 0x35}) ||
        isAt(jump + bytes, begin, {0xff, 0x25}))
      return true;
  return false;
}

struct Code {
  const uint8_t *begin, *end;
};

/// What a reference leads to: an entry of the table is read, a function is jumped to. Numbers near
/// to the table are common in code, as are ones that look like opcodes.
enum class Target { Entry, Function };

/// Loads into vector registers: compilers put two addresses side by side so.
bool isVectorLoad(uint8_t opcode) {
  constexpr uint8_t Loads[] = {0x10, 0x12, 0x16, 0x28, 0x6e, 0x6f, 0x7e};
  return std::find(std::begin(Loads), std::end(Loads), opcode) != std::end(Loads);
}

/// Whether the four bytes are what a call, a jump or an operand is relative by: padding in front of
/// a function would else read as a reference to it.
bool isRelative(const uint8_t *at, const uint8_t *begin, Target target) {
  const uint8_t before = at[-1], opcode = at[-2];
  const bool isOperand = (before & 0xc7) == 5;
  if (isOperand && opcode == 0x8d) // its address
    return true;
  if (target == Target::Entry)
    return isOperand &&
           (opcode == 0x8b || opcode == 0xff ||
            (isVectorLoad(opcode) && (isAt(at - 3, begin, {0x0f}) || isAt(at - 4, begin, {0xc5}))));
  return before == 0xe8 || before == 0xe9 || (opcode == 0x0f && (before & 0xf0) == 0x80);
}

/// ... an operand in front of one more byte of the instruction: an address for the upper half of a
/// vector register.
bool isRelativeBeforeByte(const uint8_t *at, const uint8_t *begin, Target target) {
  return target == Target::Entry && (at[-1] & 0xc7) == 5 && at[-2] == 0x22 &&
         (isAt(at - 3, begin, {0x3a}) || isAt(at - 5, begin, {0xc4}));
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

/// Calls found(place, name) for each reference relative to the instruction pointer, and for
/// absolute ones of 32 bits where the image lies at fixed addresses; not for those in seen code.
template <class Found>
void eachReference(const Code &code, const KnownCode &known, const Names &targets, Target kind,
                   bool isFixed, Found found) {
  if (targets.empty() || code.end - code.begin < 6)
    return;
  const uint64_t low = targets.begin()->first;
  const NearNumbers near(low - 1, targets.rbegin()->first - low + 1, isFixed);
  auto look = [&](uint64_t address, const uint8_t *at) {
    if (auto hit = targets.find(address); hit != targets.end())
      found(at, hit->second);
  };
  known.eachUnseen(code.begin + 2, code.end - 3, [&](const uint8_t *at, const uint8_t *end) {
    while (at < end) {
      const uint8_t *stop = std::min(at + NearNumbers::Step, end);
      // The numbers at the last of them end three bytes later: that is within the code.
      if (stop - at == NearNumbers::Step && !near.mayBeAt(at)) {
        at = stop;
        continue;
      }
      for (; at < stop; ++at) {
        if (near.relative(at) && isRelative(at, code.begin, kind))
          look(near.relativeAt(at), at);
        if (near.relative(at) && isRelativeBeforeByte(at, code.begin, kind))
          look(near.relativeAt(at) + 1, at);
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

bool looksUp(const std::string &name) { return isLookUp(name.c_str()); }

} // namespace

std::vector<std::string> unseenCalls(const dl_phdr_info &image, const char *path,
                                     const SeenCode &seen) {
  auto [table, data, lookUps, imported] = Relocations(image).collect();
  KnownCode known(seen.lists);
  const LinkedRuntime linked(image, seen.runtimes, imported, known);
  FileFacts file = readFile(image, path, linked);
  const bool isStripped = linked.isThere() && file.nvidias.empty();
  if (isStripped) {
    file.nvidias.push_back(linked.code());
    file.functions.insert(linked.unlisted().begin(), linked.unlisted().end());
  }
  file.functions.insert(linked.functions().begin(), linked.functions().end());
  table.insert(linked.entries().begin(), linked.entries().end());
  // A linked runtime looks functions up in code that symbols alone tell of.
  if (!isStripped)
    table.insert(lookUps.begin(), lookUps.end());
  known.add(file.nvidias);
  const std::vector<Code> all = codeOf(image, file.code);
  std::vector<std::string> unseen;
  auto isUnseen = [&](const std::string &name) { unseen.push_back(name); };
  // A stub is code outside as well: only its jump goes through the table.
  auto isStub = [&](const uint8_t *jump, const uint8_t *begin) {
    if (file.code.empty())
      return standsInRow(jump, begin);
    return std::any_of(file.stubs.begin(), file.stubs.end(),
                       [&](const Range &stubs) { return stubs.has(uint64_t(jump)); });
  };
  for (const Code &part : all)
    eachReference(part, known, table, Target::Entry, false,
                  [&](const uint8_t *at, const std::string &name) {
                    if (isAt(at - 2, part.begin, {0xff, 0x25}) && isStub(at - 2, part.begin))
                      file.functions.emplace(uint64_t(stubOf(at - 2, part.begin)), name);
                    else
                      isUnseen(name);
                  });
  for (const Code &part : all)
    eachReference(part, known, file.functions, Target::Function, image.dlpi_addr == 0,
                  [&](const uint8_t *, const std::string &name) { isUnseen(name); });
  auto isPointedTo = [&](const std::string &name) {
    const auto &taken = seen.addressesTaken;
    if (std::find(taken.begin(), taken.end(), name) == taken.end())
      isUnseen(name);
  };
  for (const auto &entry : data)
    isPointedTo(entry.second);
  if (!file.functions.empty()) // those of a linked runtime have no relocation that names them
    eachWord(image, file.functions.begin()->first, file.functions.rbegin()->first, file.skipped,
             [&](uint64_t where, uint64_t function) {
               auto hit = file.functions.find(function);
               if (hit != file.functions.end() && !linked.isEntry(where))
                 isPointedTo(hit->second);
             });
  if (std::any_of(unseen.begin(), unseen.end(), looksUp) && !namesCudaItself(image))
    unseen.erase(std::remove_if(unseen.begin(), unseen.end(), looksUp), unseen.end());
  if (unseen.empty() && imported.empty() && !linked.isThere() && !file.hasLocals &&
      namesDriverItself(image))
    isUnseen(UntoldFunctions);
  std::sort(unseen.begin(), unseen.end());
  unseen.erase(std::unique(unseen.begin(), unseen.end()), unseen.end());
  return unseen;
}

} // namespace gpuinstr
