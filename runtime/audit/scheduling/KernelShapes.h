// What is known of a kernel's parameters: where its arguments may hold addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_KERNELSHAPES_H
#define GPUINSTR_AUDIT_SCHEDULING_KERNELSHAPES_H

#include "calls/threads/Thread.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpuinstr::audit {

/// What the memory holds may lead the kernel anywhere.
constexpr uint8_t LeadsOn = GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_FOLLOW;

/// What is done to the memory itself. Who follows pointers in it has read them.
constexpr uint8_t ownAccess(uint8_t access) {
  const auto own = uint8_t(access & ~(GPUINSTR_ACCESS_FOLLOW | GPUINSTR_ACCESS_BEFORE));
  return own || !(access & GPUINSTR_ACCESS_FOLLOW) ? own : uint8_t(GPUINSTR_ACCESS_READ);
}

/// The parameters that may hold addresses. Kept for good, by function; mostly in one line.
struct alignas(64) KernelShape {
  /// ... or a part of one by value.
  struct Parameter {
    uint16_t index, offset; ///< CUDA's arguments are 32764 bytes at most
    uint32_t bytes;
    uint8_t access;
    bool pointer;
    bool leads;    ///< a struct or number, and where what it leads to leads is not known
    bool isPacked; ///< a struct of numbers of which the kernel may make addresses

    const char *at(void *const *arguments) const {
      const char *argument = static_cast<const char *>(arguments[index]);
      return argument ? argument + offset : nullptr;
    }
  };
  static constexpr unsigned Few = 3;
  const Parameter *parameters = first;
  uint32_t count = 0;
  bool known = true;           ///< false: its arguments cannot be read
  bool ends = false;           ///< whatever the host does
  bool keepsVariables = false; ///< writes no __device__ variable
  bool followsHost = false;    ///< ... or may follow an address that the host put into one
  bool hasStructs = false;     ///< some are larger than an address
  bool leadsByValue = false;   ///< Parameter::leads of any
  /// Numbers, and no more than LaunchMemo::Ways pointers to what is only read or written, and leads
  /// nowhere.
  bool onlyWords = false;
  Parameter first[Few];
  uint64_t generation = 0; ///< of findKernelShape(), under its lock
  // Here another line begins.
  std::vector<uint32_t> bytes; ///< of all parameters

  bool equals(const KernelShape &o) const {
    auto same = [](const Parameter &a, const Parameter &b) {
      return a.index == b.index && a.offset == b.offset && a.bytes == b.bytes &&
             a.access == b.access && a.pointer == b.pointer;
    };
    return known == o.known && ends == o.ends && keepsVariables == o.keepsVariables &&
           followsHost == o.followsHost && bytes == o.bytes &&
           std::equal(parameters, parameters + count, o.parameters, o.parameters + o.count, same);
  }
};

/// The shape of a host stub or, `isDriverCall`, of a CUfunction; as of now, and noted in the
/// thread's cache. The driver gives handles anew once code is unloaded: see kernelGeneration().
const KernelShape *findKernelShape(LaunchCache &cache, uint64_t function, bool isDriverCall);

void lockKernelShapes(); ///< around a fork, before the list of modules is locked
void unlockKernelShapes();

/// The kernel, how many threads it has, and all of its arguments, as one number.
uint64_t hashOfLaunch(const KernelShape &shape, const gpuinstr_frame &frame,
                      void *const *arguments);

} // namespace gpuinstr::audit

#endif
