// The report of a process that a signal ends.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_SIGNALS_H
#define GPUINSTR_PROCESS_SIGNALS_H

namespace gpuinstr {

/// Takes the signals that end a process where they still have their default action, and starts the
/// thread that will report: a handler itself may not even allocate. Again after fork. The same
/// thread ends the process when the main thread has left and no other one of the program remains.
void watchSignals();

/// By that thread, for one that ends the process within a call: makeReport() of this one could wait
/// for locks of its own. 0 too where that takes too long.
int reportElsewhere(const char *how, int code);

class Part;
Part &signalsPart();

} // namespace gpuinstr

#endif
