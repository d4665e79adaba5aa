// What lies at an address of compiled code: a library, a function, whose it is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_ADDRESSES_H
#define GPUINSTR_ATTACH_NATIVE_ADDRESSES_H

#include "attach/native/FrameRules.h"
#include <atomic>
#include <cstdint>
#include <string>

namespace gpuinstr::attach {

/// Above the address: how many libraries lay there before, and were unloaded.
constexpr unsigned ReuseAt = 48;
constexpr uint64_t AddressMask = (uint64_t(1) << ReuseAt) - 1;

struct PlaceFrames;

struct Address {
  bool passed = false;             ///< CUDA's, a vendor's, the interpreter's, or what lies between
  std::atomic<bool> isGone{false}; ///< its library was unloaded
  uint64_t reuse = 0;              ///< of its key
  const char *pool = nullptr;      ///< an allocator that keeps its memory
  std::string fileName;            ///< as the loader has it
  std::string module;
  uint64_t base = 0;
  std::string symbol; ///< mangled
  FrameRule rule;
  mutable std::atomic<const PlaceFrames *> frames{nullptr}; ///< see placeFrames()
};

/// Counts what the threads' caches must forget.
extern std::atomic<uint64_t> Unloads;

struct MetAddress {
  uint64_t address;
  const Address *what;
  FrameRule rule; ///< what->rule
};

/// The addresses that a thread met last.
class MetAddresses {
public:
  /// Never freed.
  const MetAddress &find(uint64_t address) {
    MetAddress &met = Cache[address * 0x9e3779b97f4a7c15u >> (64 - Bits)];
    if (__builtin_expect(!met.what || met.address != address, false))
      learn(met, address);
    return met;
  }
  void forgetUnloaded() {
    uint64_t unloads = Unloads.load(std::memory_order_relaxed);
    if (__builtin_expect(Seen == unloads, true))
      return;
    Seen = unloads;
    for (MetAddress &met : Cache)
      met = {};
  }

private:
  static void learn(MetAddress &met, uint64_t address);

  static constexpr unsigned Bits = 9;
  MetAddress Cache[1 << Bits];
  uint64_t Seen; ///< Unloads when it was filled
};
/// This thread's.
MetAddresses &metAddresses();

} // namespace gpuinstr::attach

#endif
