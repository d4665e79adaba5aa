// Sections and symbols of an ELF file on disk.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_ELF_ELFFILE_H
#define GPUINSTR_BASE_ELF_ELFFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

struct Bytes {
  const uint8_t *data = nullptr;
  uint64_t size = 0;
  uint64_t address = 0; ///< in the image, before the loader moves it
};

/// A file mapped for reading, while it lives.
class ElfFile {
public:
  explicit ElfFile(const std::string &path);
  ElfFile(const ElfFile &) = delete;
  ~ElfFile();

  /// Empty: no such section, a compressed one, or one outside the file.
  Bytes section(const char *name) const;
  /// The sections of machine code; empty: the file has no list of sections.
  std::vector<Bytes> code() const;
  /// All of it, from the header on.
  Bytes whole() const { return {Data, Size, 0}; }
  /// The program's lowest address: what the loader's base stands for.
  uint64_t lowestAddress() const { return Lowest; }

private:
  uint8_t *Data = nullptr;
  uint64_t Size = 0, Lowest = 0;
};

/// The function at an offset from the module's base, mangled; "" unknown.
std::string symbolAt(const std::string &module, uint64_t offset);

} // namespace gpuinstr

#endif
