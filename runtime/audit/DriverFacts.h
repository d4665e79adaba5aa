// What the auditor asks the driver, and who else is looking at the process.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_DRIVERFACTS_H
#define GPUINSTR_AUDIT_DRIVERFACTS_H

#include "calls/sites/Sites.h"
#include <string>

namespace gpuinstr::audit {

/// Sizes of the parameters of a CUfunction. False: unknown (drivers before CUDA 12.4).
bool driverParameters(uint64_t function, std::vector<KernelParameter> &parameters);

/// Host memory that is neither pinned nor managed; about 1 us. False when the driver cannot say.
bool isPageable(uint64_t address);

/// Kernels that the simulated device has not run, 0 on a real one: they would have written.
uint64_t kernelsNotRun();

/// The profiler, sanitizer or debugger that is attached; "" none. By environment and loaded
/// libraries.
std::string attachedTool();

/// Whether code that is not instrumented may run kernels: then none of them is ever known to be
/// done. Asked anew when libraries come or go.
bool unseenCodeUsesCuda();

} // namespace gpuinstr::audit

#endif
