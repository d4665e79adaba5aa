// Single facts that the driver knows: parameters of kernels, kinds of memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_DRIVERFACTS_H
#define GPUINSTR_CUDA_DRIVERFACTS_H

#include <cstdint>
#include <vector>

namespace gpuinstr::cuda {

/// Sizes of the parameters of a CUfunction. False: unknown (drivers before CUDA 12.4).
bool driverParameterSizes(uint64_t function, std::vector<uint32_t> &sizes);

/// Host memory that is neither pinned nor managed; about 1 us. False when the driver cannot say.
bool isPageable(uint64_t address);

/// Whether the device reads and writes such memory by itself, as with HMM and on Grace. One is
/// asked, once: the current device of the first thread that has one. False when nobody can say.
bool deviceReachesHost();

/// Memory of the device alone: not managed, nor the host's. False when the driver cannot say.
bool isOfDeviceAlone(uint64_t address);

/// Memory that the host reaches as well as the device: managed, or the host's own. False when the
/// driver cannot say.
bool isSharedWithHost(uint64_t address);

enum class Side : uint8_t { Unknown, Host, Device };
/// Of managed memory nobody can say, nor of what is neither CUDA's nor mapped.
Side sideOf(uint64_t address);

/// Kernels that the simulated device has not run, 0 on a real one: they would have written.
uint64_t kernelsNotRun();
/// Whether the simulated device refused a launch of this thread since this was asked last, one that
/// a real one would have run.
bool simulatorRefused();
/// Who tells whether the simulated device has a variable of its own in the host's memory there;
/// null on a real one. The dynamic linker is asked for it, so not while that lists its modules.
using IsOnDevice = int(const void *address);
IsOnDevice *simulatedVariables();

} // namespace gpuinstr::cuda

#endif
