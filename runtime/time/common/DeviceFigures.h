// The figures of a kind of device work at a site, and how those of several descriptors add up.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_COMMON_DEVICEFIGURES_H
#define GPUINSTR_TIME_COMMON_DEVICEFIGURES_H

#include "cuda/operands/DeviceWorkKind.h"
#include "profile/Profile.h"
#include <string>

namespace gpuinstr::timing {

using cuda::CopyDirection;
using cuda::DeviceWorkKind;
using cuda::HostMemoryKind;

struct DeviceFigures {
  uint64_t samples = 0;    ///< operations that were timed
  uint64_t operations = 0; ///< that these stand for
  uint64_t totalNs = 0;
  uint64_t ciNs = 0; ///< half of the 95 % interval of totalNs, 0 exact
  uint64_t minNs = 0, maxNs = 0;
};

/// At least one sample.
void addFigures(profile::DeviceTime &to, const DeviceFigures &from);
void addFigures(profile::DeviceRow &to, const DeviceFigures &from);
/// The part of them that is one device's.
void addFigures(profile::DevicePart &to, const DeviceFigures &from);

/// DeviceRow::operation and DeviceRow::memory.
profile::DeviceOperation operationOf(DeviceWorkKind work, CopyDirection direction);
profile::HostSide hostSideOf(HostMemoryKind memory);

/// The row of these, made when it is new.
profile::DeviceRow &rowFor(profile::DeviceTime &time, const std::string &name, DeviceWorkKind work,
                           CopyDirection direction, HostMemoryKind memory);

} // namespace gpuinstr::timing

#endif
