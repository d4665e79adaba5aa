// How a kernel is launched; the configuration structs of cudaLaunchKernelExC and cuLaunchKernelEx.
// SPDX-License-Identifier: Apache-2.0
//
// The structs are copies, as on 64-bit Linux, compared with the installed headers by the tests.
#ifndef GPUINSTR_CUDA_OPERANDS_LAUNCHCONFIG_H
#define GPUINSTR_CUDA_OPERANDS_LAUNCHCONFIG_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuinstr::cuda {

struct LaunchAttribute {
  uint32_t id, pad;
  uint8_t value[64];
};

/// cudaLaunchConfig_t.
struct RuntimeLaunchConfig {
  uint32_t grid[3], block[3];
  size_t shared;
  uint64_t stream;
  const LaunchAttribute *attributes;
  uint32_t count;
};

/// CUlaunchConfig.
struct DriverLaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t shared;
  uint64_t stream;
  const LaunchAttribute *attributes;
  uint32_t count;
};
static_assert(offsetof(RuntimeLaunchConfig, stream) == offsetof(DriverLaunchConfig, stream) &&
                  offsetof(RuntimeLaunchConfig, attributes) ==
                      offsetof(DriverLaunchConfig, attributes) &&
                  offsetof(RuntimeLaunchConfig, count) == offsetof(DriverLaunchConfig, count),
              "the launch hook reads these of either through the first");

/// Attributes that tie a launch to its neighbours in the stream by less than the stream's own
/// order, numbered alike in cudaLaunchAttributeID and CUlaunchAttributeID:
///    6, ProgrammaticStreamSerialization: the kernel may start before the one in front of it ends.
///    7, ProgrammaticEvent: the event fires once all blocks triggered it, before the kernel's end.
///   12, LaunchCompletionEvent: the event fires once all blocks have begun.
/// Whatever is put between such a launch and its neighbour makes the device end the one before it
/// starts the other: the overlap that the program asked for is gone. So nothing goes in there.
constexpr uint32_t DependencyAttributes = 1u << 6 | 1u << 7 | 1u << 12;

/// The attribute is one of them, and asks for it: the first is a number, 0 for a launch in order,
/// as of libraries that always name it; the others' values begin with the event, or null.
inline bool tiesToNeighbours(const LaunchAttribute &attribute) {
  if (attribute.id >= 32 || !(DependencyAttributes >> attribute.id & 1))
    return false;
  uint64_t value = 0;
  std::memcpy(&value, attribute.value, attribute.id == 6 ? sizeof(uint32_t) : sizeof(uint64_t));
  return value != 0;
}

/// Whether nothing may be put before or after the launch.
inline bool isDependentLaunch(const LaunchAttribute *attributes, uint32_t count) {
  for (uint32_t i = 0; attributes && i < count; ++i)
    if (tiesToNeighbours(attributes[i]))
      return true;
  return false;
}

/// What a launch asks for, from its slots or its configuration struct.
struct LaunchConfig {
  uint64_t function = 0;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t shared = 0;    ///< dynamic, bytes
  bool known = false;     ///< false: no launch, or one of several devices at once
  bool dependent = false; ///< isDependentLaunch()
};

} // namespace gpuinstr::cuda

#endif
