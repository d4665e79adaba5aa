// The tool's own start-up: what loading it took, and what it makes once.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_OWNSTART_H
#define GPUINSTR_CALLS_OWNSTART_H

#include <cstdint>

namespace gpuinstr {

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

/// Loading the runtime took so long.
void noteLoad(uint64_t ns);

/// At the first CUDA call: the options are known, what was noted so far is attributed to the
/// budget.
void chargeStartToBudget();

/// The tool's own: loading it, its start, what it made at the first calls.
uint64_t startupNs();

/// In a forked child: its start is not ours.
void forgetOwnStart();

} // namespace gpuinstr

#endif
