// The report of a process that a signal ends.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_SIGNALS_H
#define GPUINSTR_PROCESS_SIGNALS_H

namespace gpuinstr {

/// Takes SIGABRT, SIGTERM and SIGINT where they still have their default action, and starts the
/// thread that will report: a handler itself may not even allocate. Again after fork.
void watchSignals();

class Part;
Part &signalsPart();

} // namespace gpuinstr

#endif
