// The ways a process ends, and the report of each.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_EXIT_H
#define GPUINSTR_PROCESS_EXIT_H

#include "base/Part.h"
#include "gpuinstr/abi.h"

namespace gpuinstr {

/// Once, at the start.
void addExitHandlers();
/// CUDA came up: what must run while it is still alive.
void addTeardownHandler();
/// A module of the main program registered: where CUDA came up in a library's constructor, that
/// handler runs after the destructors.
void addTeardownHandlerOf(const gpuinstr_module *module);

/// In exit() nothing is unmapped any more.
bool isExiting();

/// Entry of gpuinstr_table.
void beforeExit(int code);

/// Builds and writes the report. Returns the exit code that fail_on asks for, 0 none. Once per
/// process but for Ending::Now.
int makeReport(Ending ending, const char *how, int code);

/// In a forked child: nothing was reported yet.
void forgetReport();

} // namespace gpuinstr

#endif
