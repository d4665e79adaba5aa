// Sections and symbols of an ELF file on disk.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf/ElfFile.h"
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

constexpr uint64_t LargestSymbols = 64 << 20;

template <class T>
const T *tableAt(const uint8_t *data, uint64_t size, uint64_t offset, uint64_t count) {
  if (offset > size || count > (size - offset) / sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(data + offset);
}

} // namespace

ElfFile::ElfFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
      size_t(info.st_size) > sizeof(Elf64_Ehdr)) {
    void *mapped = mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      Data = static_cast<uint8_t *>(mapped);
      Size = uint64_t(info.st_size);
    }
  }
  if (file >= 0)
    close(file);
  if (!Data || std::memcmp(Data, ELFMAG, SELFMAG) != 0 || Data[EI_CLASS] != ELFCLASS64)
    return;
  auto *head = reinterpret_cast<const Elf64_Ehdr *>(Data);
  auto *segments = tableAt<Elf64_Phdr>(Data, Size, head->e_phoff, head->e_phnum);
  for (unsigned i = 0; segments && i < head->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD) {
      Lowest = segments[i].p_vaddr & ~uint64_t(4095);
      break;
    }
}

ElfFile::~ElfFile() {
  if (Data)
    munmap(Data, Size);
}

/// The list of sections, null: none.
static const Elf64_Shdr *sectionsOf(const uint8_t *data, uint64_t size) {
  if (!data || std::memcmp(data, ELFMAG, SELFMAG) != 0 || data[EI_CLASS] != ELFCLASS64)
    return nullptr;
  auto *head = reinterpret_cast<const Elf64_Ehdr *>(data);
  return tableAt<Elf64_Shdr>(data, size, head->e_shoff, head->e_shnum);
}

std::vector<Bytes> ElfFile::code() const {
  std::vector<Bytes> code;
  const Elf64_Shdr *all = sectionsOf(Data, Size);
  for (unsigned i = 0; all && i < reinterpret_cast<const Elf64_Ehdr *>(Data)->e_shnum; ++i)
    if (all[i].sh_flags & SHF_EXECINSTR &&
        tableAt<uint8_t>(Data, Size, all[i].sh_offset, all[i].sh_size))
      code.push_back({Data + all[i].sh_offset, all[i].sh_size, all[i].sh_addr});
  return code;
}

Bytes ElfFile::section(const char *name) const {
  const Elf64_Shdr *all = sectionsOf(Data, Size);
  auto *head = reinterpret_cast<const Elf64_Ehdr *>(Data);
  if (!all || head->e_shstrndx >= head->e_shnum)
    return {};
  const Elf64_Shdr &names = all[head->e_shstrndx];
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const Elf64_Shdr &s = all[i];
    size_t length = std::strlen(name) + 1;
    if (s.sh_name > names.sh_size || length > names.sh_size - s.sh_name ||
        !tableAt<char>(Data, Size, names.sh_offset, names.sh_size) ||
        std::memcmp(Data + names.sh_offset + s.sh_name, name, length) != 0)
      continue;
    if (s.sh_type == SHT_NOBITS || (s.sh_flags & SHF_COMPRESSED) ||
        !tableAt<uint8_t>(Data, Size, s.sh_offset, s.sh_size))
      return {};
    return {Data + s.sh_offset, s.sh_size, s.sh_addr};
  }
  return {};
}

std::string symbolAt(const std::string &module, uint64_t offset) {
  ElfFile file(module);
  Bytes symbols = file.section(".symtab"), strings = file.section(".strtab");
  if (!symbols.size || !strings.size || symbols.size > LargestSymbols ||
      strings.data[strings.size - 1] != 0)
    return "";
  auto *all = reinterpret_cast<const Elf64_Sym *>(symbols.data);
  uint64_t address = offset + file.lowestAddress();
  for (uint64_t i = 0; i < symbols.size / sizeof *all; ++i)
    if (ELF64_ST_TYPE(all[i].st_info) == STT_FUNC && address >= all[i].st_value &&
        address - all[i].st_value < all[i].st_size && all[i].st_name < strings.size)
      return reinterpret_cast<const char *>(strings.data) + all[i].st_name;
  return "";
}

} // namespace gpuinstr
