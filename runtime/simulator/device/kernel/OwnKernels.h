// gpuinstr's own kernels, of which the host version comes with the simulator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuinstr::sim {

/// At the first use of the device. Takes the lock.
void defineOwnKernels();

} // namespace gpuinstr::sim
