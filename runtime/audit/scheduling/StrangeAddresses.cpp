// Words of structs that lead kernels into memory which is no allocation of ours: memory that the
// program mapped, and the host's own where kernels reach that.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/LaunchArguments.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Hash.h"
#include "cuda/DriverFacts.h"
#include "ledger/Ledger.h"
#include <link.h>
#include <unistd.h>

namespace gpuinstr::audit {

namespace {

/// Words that were met before, and whether they are such addresses. Those that are none are asked
/// about again now and then: memory may be there by now.
class MetWords {
public:
  bool isAddress(uint64_t word) {
    std::atomic<uint64_t> &place = Words[hashMix(word, 0) % Number];
    const uint64_t known = place.load(std::memory_order_relaxed);
    if ((known & ~Mark) == word && (known & Mark || ++Refused % AskedAgain != 0))
      return known & Mark;
    const bool found = ask(word);
    place.store(word | (found ? Mark : 0), std::memory_order_relaxed);
    return found;
  }

private:
  static constexpr unsigned Number = 256, AskedAgain = 4096;
  static constexpr uint64_t Mark = 1; ///< the words are multiples of eight

  static bool ask(uint64_t word) {
    if (auto found = ledger().find(word); found && found->resource == GPUINSTR_RES_MAPPING)
      return true;
    cuda::Region region;
    region.address = word;
    region.width = sizeof(uint64_t);
    return cuda::deviceReachesHost() && hostAnswers(region);
  }

  std::atomic<uint64_t> Words[Number] = {};
  std::atomic<uint32_t> Refused{0};
};
MetWords Met;

/// Where kernels have written; of those that share a place, the last one.
class StrayWrites {
public:
  void note(uint64_t address) {
    std::atomic<uint64_t> &place = Addresses[hashMix(address, 0) % Number];
    if (place.load(std::memory_order_relaxed) != address)
      place.store(address, std::memory_order_relaxed);
  }
  bool anyIn(uint64_t low, uint64_t high) const {
    for (const std::atomic<uint64_t> &place : Addresses)
      if (place.load(std::memory_order_relaxed) - low < high - low)
        return true;
    return false;
  }

private:
  static constexpr unsigned Number = 1024;
  std::atomic<uint64_t> Addresses[Number] = {};
};
StrayWrites Strays;

constexpr unsigned LowBits = 32;

/// Where the program's own variables begin, if that is below 4 GiB: it was linked without -pie.
uint64_t lowVariables() {
  static const uint64_t begin = [] {
    uint64_t found = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *program, size_t, void *begin) {
          for (unsigned i = 0; i < program->dlpi_phnum; ++i)
            if (const auto &part = program->dlpi_phdr[i];
                part.p_type == PT_LOAD && part.p_flags & PF_W) {
              *static_cast<uint64_t *>(begin) = program->dlpi_addr + part.p_vaddr;
              return 1;
            }
          return 1; // the program is the first one
        },
        &found);
    return found >> LowBits ? 0 : found;
  }();
  return begin;
}

/// Of what may hold addresses: no number of 32 bits, but where the program has its variables and
/// its heap, and none that the processor refuses.
bool isPlausible(uint64_t word) {
  constexpr unsigned UserBits = 47;
  if (word % sizeof(uint64_t) != 0 || word >> UserBits != 0)
    return false;
  return word >> LowBits != 0 || (word >= FirstPage && lowVariables() && word >= lowVariables() &&
                                  word < reinterpret_cast<uint64_t>(sbrk(0)));
}

/// No address, nor a number that is not large: one that the kernel decodes, as with a tag above it.
bool isEncoded(uint64_t word) {
  constexpr unsigned UserBits = 47;
  const auto above = int64_t(word) >> UserBits;
  return above != 0 && above != -1;
}

/// eachAddress() looks at words so many bytes apart.
constexpr uint32_t LooksEvery = 4;

bool isWithin(LaunchCache &cache, uint64_t word) {
  return Ranges::mayBeAddress(word) && searchSpans(cache, word);
}

} // namespace

void noteStrayWrite(uint64_t address) { Strays.note(address); }
bool wroteStray(uint64_t low, uint64_t high) { return Strays.anyIn(low, high); }

bool holdsStrangers(LaunchCache &cache, const KernelShape &shape, void *const *arguments) {
  for (uint32_t i = 0; i < shape.count; ++i) {
    const KernelShape::Parameter &p = shape.parameters[i];
    const char *at = p.at(arguments);
    if (!p.leads || !at)
      continue;
    if (uint64_t word; p.bytes == sizeof word) {
      std::memcpy(&word, at, sizeof word);
      if (isEncoded(word))
        return true;
    }
    const uint32_t step = p.isPacked ? 1 : sizeof(uint64_t);
    for (uint32_t offset = 0; offset + sizeof(uint64_t) <= p.bytes; offset += step) {
      uint64_t word;
      std::memcpy(&word, at + offset, sizeof word);
      if (offset % LooksEvery != 0
              ? isWithin(cache, word)
              : isPlausible(word) && !searchSpans(cache, word) && Met.isAddress(word))
        return true;
    }
  }
  return false;
}

} // namespace gpuinstr::audit
