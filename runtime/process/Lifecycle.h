// Start, the ways a process ends, and fork.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_LIFECYCLE_H
#define GPUINSTR_PROCESS_LIFECYCLE_H

#include "gpuinstr/abi.h"
#include <cstdint>
#include <string>

namespace gpuinstr {

/// Once per process, from the first gpuinstr_connect. `beforeLoadNs`: see abi.h.
void startRuntime(uint64_t beforeLoadNs);

/// A scope in which the tool makes what it makes once: that counts as its start-up, and the budget
/// has to earn its processor time. `inCall`: what is around it counts as the call's cost.
class OwnStart {
public:
  explicit OwnStart(bool inCall = true);
  OwnStart(const OwnStart &) = delete;
  ~OwnStart();

private:
  bool InCall;
  uint64_t StartTicks, StartNs, ProcessorNs;
};

/// Entries of gpuinstr_table.
void registerModule(gpuinstr_module *module);
void unregisterModule(gpuinstr_module *module);
void beforeExit(int code);

/// Off for good: option enabled=0. Threads then get no state, and enter returns at once.
bool isDisabled();

/// From State.cpp.
void onFirstCudaCall();
void onCudaUp();

enum class Ending { Exit, Killed, Now };
/// Builds and writes the report. Returns the exit code that fail_on asks for, 0 none. Killed: what
/// is live is no leak. Once per process but for Now.
int report(Ending ending, const std::string &how, int code);

uint64_t processStartNs();
/// The tool's own: loading it, its start, what it made at the first calls.
uint64_t startupNs();
/// False in a child that shares memory with its parent, and in one made behind fork's back.
bool isOwnProcess();

} // namespace gpuinstr

#endif
