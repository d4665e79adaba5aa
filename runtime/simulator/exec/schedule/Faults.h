// Faults of kernel code: a bad address ends the launch, not the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuinstr::sim {

/// Handles SIGSEGV and SIGBUS from now on: those of kernel code become an error of the launch, all
/// others go to the handler that was there before.
void catchFaults();

/// Gives this thread a stack for the handler: a fault may be an overflow of a thread's own.
void prepareThreadForFaults();

} // namespace gpuinstr::sim
