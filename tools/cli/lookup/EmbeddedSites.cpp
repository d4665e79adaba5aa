// The site descriptors that the plugin left in an executable or shared library.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/EmbeddedSites.h"
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <unordered_map>

namespace gpuinstr::cli {

namespace {

/// The file as the loader would lay it out: addresses are those of the link.
class Image {
public:
  explicit Image(std::string_view file);

  std::size_t bytes() const { return File.size(); }

  struct Segment {
    uint64_t address = 0, offset = 0, size = 0;
    bool writable = false;
  };
  const std::vector<Segment> &segments() const { return Segments; }

  /// False when [address, address + sizeof(T)) is not in the file.
  template <class T> bool read(uint64_t address, T &out) const {
    const char *at = bytes(address, sizeof(T));
    if (at)
      std::memcpy(&out, at, sizeof(T));
    return at;
  }
  /// A pointer after relocation, 0 none.
  uint64_t pointer(uint64_t address) const {
    auto moved = Moved.find(address);
    uint64_t value = 0;
    if (moved != Moved.end())
      return moved->second;
    return read(address, value) ? value : 0;
  }
  /// The text at a pointer's target; false when that is no text.
  bool text(uint64_t address, std::string &out) const;

private:
  /// Texts are shared, and copied: all copies together may be so many times larger than the file.
  static constexpr std::size_t MostText = 64, FreeText = std::size_t(4) << 20;
  mutable std::size_t TextBytes = 0;
  const char *bytes(uint64_t address, uint64_t size) const {
    for (const Segment &segment : Segments)
      if (address >= segment.address && address - segment.address < segment.size &&
          size <= segment.size - (address - segment.address))
        return File.data() + segment.offset + (address - segment.address);
    return nullptr;
  }
  void relocations(uint64_t dynamic, uint64_t size);

  std::string_view File;
  std::vector<Segment> Segments;
  std::unordered_map<uint64_t, uint64_t> Moved; ///< R_X86_64_RELATIVE and _64: place -> value
};

Image::Image(std::string_view file) : File(file) {
  Elf64_Ehdr head;
  if (file.size() < sizeof head || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    throw Failure("no ELF file");
  std::memcpy(&head, file.data(), sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
      head.e_machine != EM_X86_64)
    throw Failure("not for x86-64");
  if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
    throw Failure("not linked: sites can be read from executables and shared libraries");
  // Linkers make some four; of many that overlap, each address would be looked for in all.
  constexpr std::size_t MostSegments = 64;
  uint64_t dynamic = 0, dynamicSize = 0, loaded = 0;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    uint64_t at = head.e_phoff + uint64_t(i) * head.e_phentsize;
    if (at > file.size() || file.size() - at < sizeof segment)
      throw Failure("the ELF file is cut short");
    std::memcpy(&segment, file.data() + at, sizeof segment);
    if (segment.p_offset > file.size() || segment.p_filesz > file.size() - segment.p_offset)
      throw Failure("the ELF file is cut short");
    if (segment.p_type == PT_LOAD) {
      Segments.push_back(
          {segment.p_vaddr, segment.p_offset, segment.p_filesz, (segment.p_flags & PF_W) != 0});
      loaded += segment.p_filesz;
      if (Segments.size() > MostSegments || loaded > 2 * file.size() ||
          segment.p_vaddr > UINT64_MAX - segment.p_filesz - sizeof(gpuinstr_module))
        throw Failure("an ELF file whose segments no linker made");
    }
    if (segment.p_type == PT_DYNAMIC) {
      dynamic = segment.p_vaddr;
      dynamicSize = segment.p_filesz;
    }
  }
  relocations(dynamic, dynamicSize);
}

void Image::relocations(uint64_t dynamic, uint64_t size) {
  uint64_t rela = 0, relaSize = 0, symbols = 0;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= size; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!read(dynamic + at, entry) || entry.d_tag == DT_NULL)
      break;
    if (entry.d_tag == DT_RELA)
      rela = entry.d_un.d_ptr;
    else if (entry.d_tag == DT_RELASZ)
      relaSize = entry.d_un.d_val;
    else if (entry.d_tag == DT_SYMTAB)
      symbols = entry.d_un.d_ptr;
  }
  // DT_RELR (packed) leaves the value in place, where pointer() finds it.
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= relaSize; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    if (!read(rela + at, entry))
      break;
    uint64_t type = ELF64_R_TYPE(entry.r_info), value = static_cast<uint64_t>(entry.r_addend);
    Elf64_Sym symbol;
    if (type == R_X86_64_64 &&
        read(symbols + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym), symbol))
      value += symbol.st_value;
    else if (type != R_X86_64_RELATIVE)
      continue;
    Moved[entry.r_offset] = value;
  }
}

bool Image::text(uint64_t address, std::string &out) const {
  constexpr std::size_t Longest = 1 << 20;
  for (const Segment &segment : Segments) {
    if (address < segment.address || address - segment.address >= segment.size)
      continue;
    std::size_t left = segment.size - (address - segment.address);
    const char *begin = File.data() + segment.offset + (address - segment.address);
    const void *end = std::memchr(begin, 0, std::min(left, Longest));
    if (!end)
      return false;
    out.assign(begin, static_cast<const char *>(end));
    TextBytes += sizeof out + out.size();
    return TextBytes <= MostText * File.size() + FreeText;
  }
  return false;
}

#define FIELD(type, name) offsetof(type, name)

bool textAt(const Image &image, uint64_t place, std::string &out) {
  return image.text(image.pointer(place), out);
}

/// A pointer of a packed site, or any other.
uint64_t placed(uint64_t value, uint64_t base) {
  return value & GPUINSTR_PACKED_OFFSET ? base + (value & ~GPUINSTR_PACKED_OFFSET) : value;
}

/// What the packed sites of a module are in.
struct Bases {
  uint64_t texts = 0, arguments = 0, sites = 0, count = 0;
};

bool readSite(const Image &image, uint64_t at, const Bases &packed, EmbeddedSite &site) {
  gpuinstr_site raw;
  if (!image.read(at, raw) || raw.size < sizeof raw)
    return false;
  site.id = raw.id;
  site.op = raw.op;
  site.flags = raw.flags;
  site.line = raw.line;
  site.column = raw.column;
  auto read = [&](uint64_t place, std::string &out) {
    return image.text(placed(image.pointer(place), packed.texts), out);
  };
  bool good = read(at + FIELD(gpuinstr_site, file), site.file) &&
              read(at + FIELD(gpuinstr_site, function), site.function) &&
              read(at + FIELD(gpuinstr_site, callee), site.callee) &&
              read(at + FIELD(gpuinstr_site, variable), site.variable) &&
              read(at + FIELD(gpuinstr_site, type), site.type);
  if (raw.num_arguments > image.bytes() / sizeof(uint64_t))
    return false;
  uint64_t arguments =
      placed(image.pointer(at + FIELD(gpuinstr_site, arguments)), packed.arguments);
  for (unsigned i = 0; good && i < raw.num_arguments; ++i) {
    site.arguments.emplace_back();
    good = read(arguments + 8 * i, site.arguments.back());
  }
  return good;
}

bool readPacked(const Image &image, uint64_t at, Bases &packed) {
  gpuinstr_packed raw;
  if (!image.read(at, raw) || raw.size < sizeof raw)
    return false;
  packed.sites = image.pointer(at + FIELD(gpuinstr_packed, sites));
  packed.arguments = image.pointer(at + FIELD(gpuinstr_packed, arguments));
  packed.texts = image.pointer(at + FIELD(gpuinstr_packed, texts));
  packed.count = raw.num_sites;
  return true;
}

/// Those of the list; nulls in it stand for the packed ones, in order.
bool readListed(const Image &image, uint64_t list, uint32_t count, const Bases &packed,
                std::vector<EmbeddedSite> &out) {
  uint64_t next = 0;
  for (uint32_t i = 0; list && i < count; ++i) {
    uint64_t site = image.pointer(list + 8 * uint64_t(i));
    if (!site && next < packed.count)
      site = packed.sites + sizeof(gpuinstr_site) * next++;
    out.emplace_back();
    if (!readSite(image, site, packed, out.back()))
      return false;
  }
  return true;
}

/// Modules of older code have an array of sites and end before the list.
constexpr uint32_t OldestModule = FIELD(gpuinstr_module, listed);

/// True when a module descriptor stands at `at`: its head, its producer and its sites say so.
bool readModule(const Image &image, uint64_t at, EmbeddedModule &module) {
  gpuinstr_module raw{};
  std::array<char, OldestModule> head;
  if (!image.read(at, head))
    return false;
  std::memcpy(&raw, head.data(), head.size());
  std::array<char, FIELD(gpuinstr_module, code)> withList;
  const bool listed = raw.size >= withList.size();
  if (raw.size < OldestModule || raw.size > 4096 || raw.abi_version == 0 ||
      raw.abi_version > 1000 || (listed && !image.read(at, withList)))
    return false;
  if (listed)
    std::memcpy(&raw, withList.data(), withList.size());
  if (!textAt(image, at + FIELD(gpuinstr_module, producer), module.producer) ||
      module.producer.rfind("gpuinstr ", 0) != 0 ||
      !textAt(image, at + FIELD(gpuinstr_module, source), module.source) ||
      !textAt(image, at + FIELD(gpuinstr_module, defaults), module.defaults))
    return false;
  module.abi = raw.abi_version;
  if (std::max({raw.num_addresses_taken, listed ? raw.num_listed : 0, raw.num_sites}) >
      image.bytes() / sizeof(uint64_t))
    return false;
  uint64_t taken = image.pointer(at + FIELD(gpuinstr_module, addresses_taken));
  for (unsigned i = 0; i < raw.num_addresses_taken; ++i) {
    module.addressesTaken.emplace_back();
    if (!textAt(image, taken + 8 * i, module.addressesTaken.back()))
      return false;
  }
  uint64_t list = listed ? image.pointer(at + FIELD(gpuinstr_module, listed)) : 0;
  Bases packed;
  if (listed && raw.flags & GPUINSTR_MODULE_PACKED &&
      !readPacked(image, image.pointer(at + raw.size), packed))
    return false;
  if (!readListed(image, list, raw.num_listed, packed, module.sites))
    return false;
  uint64_t site = image.pointer(at + FIELD(gpuinstr_module, sites));
  for (unsigned i = 0; i < raw.num_sites; ++i) {
    uint32_t stride = 0;
    module.sites.emplace_back();
    if (!image.read(site, stride) || !readSite(image, site, packed, module.sites.back()))
      return false;
    site += stride;
  }
  return true;
}

} // namespace

bool isCall(const EmbeddedSite &site) {
  return site.op != GPUINSTR_OP_CALLER && !(site.flags & GPUINSTR_SITE_INNER);
}

std::vector<EmbeddedModule> embeddedModules(std::string_view elf) {
  Image image(elf);
  std::vector<EmbeddedModule> modules;
  for (const Image::Segment &segment : image.segments()) {
    if (!segment.writable)
      continue;
    uint64_t first = (segment.address + 7) & ~uint64_t(7);
    for (uint64_t at = first; at + OldestModule <= segment.address + segment.size; at += 8) {
      uint32_t head[2];
      if (!image.read(at, head) || head[0] < OldestModule || head[0] > 4096)
        continue;
      EmbeddedModule module;
      if (readModule(image, at, module))
        modules.push_back(std::move(module));
    }
  }
  return modules;
}

#undef FIELD

} // namespace gpuinstr::cli
