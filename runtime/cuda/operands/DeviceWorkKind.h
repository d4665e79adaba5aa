// What the device does for a call: kernel, copy, set or graph; of copies, from where to where.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_OPERANDS_DEVICEWORKKIND_H
#define GPUINSTR_CUDA_OPERANDS_DEVICEWORKKIND_H

#include <cstdint>

namespace gpuinstr::cuda {

enum class DeviceWorkKind : uint8_t { Kernel, Copy, Set, Graph };

// The numbers of these two are in trace files (trace/Format.h).
enum class CopyDirection : uint8_t {
  Unknown,
  HostToHost,
  HostToDevice,
  DeviceToHost,
  DeviceToDevice
};
constexpr unsigned NumCopyDirections = 5;
/// "H2D" ...; "" where it is unknown.
const char *directionName(CopyDirection direction);

/// The host's side of a copy. Unknown also where there is none.
enum class HostMemoryKind : uint8_t { Unknown, Pageable, Pinned };

} // namespace gpuinstr::cuda

#endif
