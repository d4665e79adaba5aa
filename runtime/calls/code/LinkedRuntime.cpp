// A CUDA runtime that is linked into an image, where the file's symbols do not tell of it.
// SPDX-License-Identifier: Apache-2.0
#include "calls/code/LinkedRuntime.h"
#include "calls/code/UnseenCalls.h"
#include "calls/sites/CudaFunctions.h"
#include <cstring>

namespace gpuinstr {

namespace {

/// That of CUDA 13 has 0.5 MB.
constexpr uint64_t MostCode = 4 << 20;
/// Its functions for the program lie side by side: between two of them that are further apart lies
/// what nobody else calls.
constexpr uint64_t MostBetween = 16 << 10;

constexpr uint64_t LongestStub = 16;

bool isCode(const dl_phdr_info &image, uint64_t address) {
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto &segment = image.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
        address - image.dlpi_addr - segment.p_vaddr < segment.p_filesz)
      return true;
  }
  return false;
}

/// A stub of the image, which stands for a function of a library where the image takes its address:
/// its jump goes through an address that the loader puts there.
bool isStub(uint64_t at, const std::set<uint64_t> &imported) {
  for (uint64_t before : {0, 1, 4, 5, 10}) { // bytes in front of the jump: linkers differ
    const auto *jump = reinterpret_cast<const uint8_t *>(at + before);
    int32_t distance;
    std::memcpy(&distance, jump + 2, sizeof distance);
    if (jump[0] == 0xff && jump[1] == 0x25)
      return imported.count(uint64_t(jump) + 6 + int64_t(distance)) != 0;
  }
  return false;
}

/// The table by which exceptions find functions: where each begins, by address. Compilers write it
/// for C, too, and stripping leaves it.
/// https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html
class FunctionStarts {
public:
  explicit FunctionStarts(const dl_phdr_info &image) {
    for (int i = 0; i < image.dlpi_phnum; ++i)
      if (image.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
        read(reinterpret_cast<const uint8_t *>(image.dlpi_addr + image.dlpi_phdr[i].p_vaddr),
             image.dlpi_phdr[i].p_memsz);
  }

  template <class Visit> void eachIn(const Range &range, Visit visit) const {
    const Entry *first = std::lower_bound(
        First, First + Count, range.begin,
        [&](const Entry &entry, uint64_t begin) { return placeOf(entry) < begin; });
    for (; first != First + Count && placeOf(*first) < range.end; ++first)
      visit(placeOf(*first));
  }

private:
  struct Entry {
    int32_t function, description; ///< from the table's begin
  };
  uint64_t placeOf(const Entry &entry) const { return uint64_t(Begin) + int64_t(entry.function); }

  /// As all linkers write it: a relative address of 4 bytes, a count of 4, a sorted table.
  void read(const uint8_t *begin, uint64_t bytes) {
    constexpr uint8_t Usual[] = {1, 0x1b, 0x03, 0x3b};
    constexpr uint64_t Head = 12;
    uint32_t count;
    if (bytes < Head || std::memcmp(begin, Usual, sizeof Usual) != 0)
      return;
    std::memcpy(&count, begin + 8, sizeof count);
    if (count > (bytes - Head) / sizeof(Entry))
      return;
    Begin = begin;
    First = reinterpret_cast<const Entry *>(begin + Head);
    Count = count;
  }

  const uint8_t *Begin = nullptr;
  const Entry *First = nullptr;
  uint32_t Count = 0;
};

} // namespace

LinkedRuntime::LinkedRuntime(const dl_phdr_info &image, const std::set<RuntimeList> &lists,
                             const std::set<uint64_t> &imported, const KnownCode &seen) {
  std::set<uint64_t> known;
  for (const RuntimeList &list : lists)
    for (uint32_t number = 0; number < list.count; ++number) {
      const uint64_t entry = uint64_t(list.first + number) + int64_t(list.first[number]);
      const uint64_t at = *reinterpret_cast<const uint64_t *>(entry);
      // One of the program's own may have taken a name, as by --wrap.
      if (!at || imported.count(entry) || !isCode(image, at) || !isCode(image, at + LongestStub) ||
          isStub(at, imported) || seen.meets({at, at + 1}))
        continue;
      const char *name = runtimeFunction(number);
      known.insert(at);
      AllEntries.insert(entry);
      if (name && !isCudaWork(name))
        continue;
      Functions.emplace(at, name ? name : UnlistedFunction);
      Entries.emplace(entry, name ? name : UnlistedFunction);
    }
  if (known.empty())
    return;
  Code = {*known.begin(), *known.rbegin() + 1};
  if (Code.end - Code.begin > MostCode || seen.meets(Code)) // two of them, or parts of one
    Code = {*known.begin(), *known.begin() + 1};
  addUnlisted(image, known);
}

void LinkedRuntime::addUnlisted(const dl_phdr_info &image, const std::set<uint64_t> &known) {
  FunctionStarts(image).eachIn(Code, [&](uint64_t at) {
    const auto next = known.lower_bound(at);
    if (next == known.end() || next == known.begin() || *next == at)
      return;
    if (*next - *std::prev(next) <= MostBetween)
      Unlisted.emplace(at, UnlistedFunction);
  });
}

} // namespace gpuinstr
