// What the simulated device says about itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace gpuinstr::sim {

constexpr char DeviceName[] = "gpuinstr simulator";
/// The driver version that the simulator stands for, as cuDriverGetVersion counts.
constexpr int DriverVersion = 13000;

/// Value of a device attribute; 0 for those that the simulated device lacks.
int deviceAttribute(CUdevice_attribute attribute);
/// The PCI bus differs from device to device.
int deviceAttribute(CUdevice_attribute attribute, int ordinal);
/// A UUID that names the simulator and the ordinal.
CUuuid deviceUuid(int ordinal);

} // namespace gpuinstr::sim
