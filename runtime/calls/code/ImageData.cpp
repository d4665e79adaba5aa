// What the data of a loaded image tell of the code in it.
// SPDX-License-Identifier: Apache-2.0
//
// By hand: a program under AddressSanitizer has gaps between its variables, which may be read, but
// not by a function of the C library's, whose place the sanitizer's has taken.
#include "calls/code/ImageData.h"
#include "base/elf/DynamicEntries.h"

namespace gpuinstr {

namespace {

struct Text {
  uint64_t letters, mask; ///< as they lie in memory
};
constexpr Text Cuda = {0x6164756362696c, (uint64_t(1) << 56) - 1}; // libcuda
constexpr Text Driver = {0x2e6164756362696c, ~uint64_t(0)};        // libcuda.

/// Whether any of the eight bytes is that one.
bool hasByte(uint64_t bytes, uint8_t byte) {
  constexpr uint64_t Ones = ~uint64_t(0) / 0xff, Tops = Ones * 0x80;
  const uint64_t zero = bytes ^ Ones * byte; // where it is
  return ((zero - Ones) & ~zero & Tops) != 0;
}

__attribute__((no_sanitize("address"))) bool holds(uint64_t begin, uint64_t end, Text text) {
  const auto first = uint8_t(text.letters);
  while (begin + sizeof(uint64_t) <= end) {
    uint64_t here;
    __builtin_memcpy(&here, reinterpret_cast<const void *>(begin), sizeof here);
    if ((here & text.mask) == text.letters)
      return true;
    begin += hasByte(here, first) ? 1 : sizeof here;
  }
  return false;
}

/// Older linkers put constants beside the code, into one segment.
bool holdsConstant(const dl_phdr_info &image, Text text, Range but = {0, 0}) {
  constexpr uint64_t Most = 64 << 20;
  auto isRead = [](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & (PF_R | PF_W)) == PF_R;
  };
  const ElfW(Phdr) *first = image.dlpi_phdr, *last = first + image.dlpi_phnum;
  const bool isApart = std::any_of(first, last, [&](const ElfW(Phdr) & segment) {
    return isRead(segment) && !(segment.p_flags & PF_X);
  });
  return std::any_of(first, last, [&](const ElfW(Phdr) & segment) {
    if (!isRead(segment) || isApart != !(segment.p_flags & PF_X))
      return false;
    const uint64_t begin = image.dlpi_addr + segment.p_vaddr;
    const uint64_t end = begin + std::min<uint64_t>(segment.p_filesz, Most);
    if (!(Range{begin, end}.has(but.begin)))
      return holds(begin, end, text);
    return holds(begin, but.begin, text) || holds(std::min(but.end, end), end, text);
  });
}

} // namespace

bool namesCuda(const dl_phdr_info &image) { return holdsConstant(image, Cuda); }

static Range loadersTexts(const dl_phdr_info &image) {
  const DynamicEntries dynamic(image);
  const uint64_t texts = uint64_t(dynamic.at<char>(DT_STRTAB));
  return {texts, texts + dynamic.value(DT_STRSZ)};
}

bool namesCudaItself(const dl_phdr_info &image) {
  return holdsConstant(image, Cuda, loadersTexts(image));
}

bool namesDriverItself(const dl_phdr_info &image) {
  return holdsConstant(image, Driver, loadersTexts(image));
}

__attribute__((no_sanitize("address"))) void
eachWord(const dl_phdr_info &image, uint64_t low, uint64_t high, const std::vector<Range> &skipped,
         const std::function<void(uint64_t where, uint64_t value)> &found) {
  auto behindSkipped = [&](uint64_t at) {
    for (const Range &range : skipped)
      if (range.has(at))
        return (range.end + 7) & ~uint64_t(7);
    return at;
  };
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const auto &segment = image.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R) ||
        !(segment.p_flags & PF_W || image.dlpi_addr == 0))
      continue;
    const uint64_t begin = image.dlpi_addr + segment.p_vaddr, end = begin + segment.p_filesz;
    for (uint64_t at = (begin + 7) & ~uint64_t(7); at + 8 <= end;) {
      if (const uint64_t behind = behindSkipped(at); behind != at) {
        at = behind;
        continue;
      }
      const uint64_t stop = std::min<uint64_t>(at + 4096, end);
      for (; at + 8 <= stop; at += 8) {
        const uint64_t value = *reinterpret_cast<const uint64_t *>(at);
        if (value - low <= high - low && behindSkipped(at) == at)
          found(at, value);
      }
      if (at + 8 > end)
        break;
    }
  }
}

} // namespace gpuinstr
