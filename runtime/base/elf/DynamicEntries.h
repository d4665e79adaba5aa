// The dynamic section of a module that is loaded.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_ELF_DYNAMICENTRIES_H
#define GPUINSTR_BASE_ELF_DYNAMICENTRIES_H

#include <cstdint>
#include <link.h>

namespace gpuinstr {

/// As long as the module stays loaded.
class DynamicEntries {
public:
  explicit DynamicEntries(const dl_phdr_info &module) : Base(module.dlpi_addr) {
    for (int i = 0; i < module.dlpi_phnum; ++i)
      if (module.dlpi_phdr[i].p_type == PT_DYNAMIC)
        First = reinterpret_cast<const ElfW(Dyn) *>(Base + module.dlpi_phdr[i].p_vaddr);
  }

  /// 0: there is none.
  uint64_t value(int64_t tag) const {
    for (const ElfW(Dyn) *entry = First; entry && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == tag)
        return entry->d_un.d_val;
    return 0;
  }
  /// What the entry is the address of. nullptr: there is none.
  template <class T> const T *at(int64_t tag) const {
    const uint64_t address = value(tag);
    if (!address)
      return nullptr;
    // glibc relocates these entries, except in the vDSO.
    return reinterpret_cast<const T *>(address < Base ? address + Base : address);
  }

private:
  uint64_t Base;
  const ElfW(Dyn) *First = nullptr;
};

} // namespace gpuinstr

#endif
