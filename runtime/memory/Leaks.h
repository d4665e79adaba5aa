// What was never freed: judged when the process ends or a device is reset.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_LEAKS_H
#define GPUINSTR_MEMORY_LEAKS_H

#include "calls/Observer.h"
#include "findings/Findings.h"

namespace gpuinstr {

/// A stream or event was made, which the driver cannot be asked about.
void noteHandleMade();

/// While CUDA is alive, in exit(): asks the driver which allocations live, and looks for the ones
/// that global variables hold. What static destructors still free later leaves the ledger as ever.
void confirmBeforeTeardown();

/// After all exit handlers: leaks and held-at-exit from what is left in the ledger, and
/// leaksOfResets().
std::vector<FindingRecord> leaksAtExit();

/// What lived when the process was killed.
struct LiveTotals {
  uint64_t count = 0, bytes = 0;
};
LiveTotals liveTotals();

/// cudaDeviceReset, cuCtxDestroy: judged before, recorded and dropped after success.
void beforeDeviceReset(const Call &call);
void afterDeviceReset(const Call &call);

/// What such calls found never freed.
std::vector<FindingRecord> leaksOfResets();
/// The program frees it after all, if too late: `resource` as in the ledger.
void dropLeakOfReset(unsigned resource, uint64_t address);
void forgetLeaksOfResets();

/// Allocations since a mark that are live; for gpuinstr_leaks_since.
LiveTotals liveSince(uint64_t sequence);

/// Lines for the report about what limited the judgement.
std::vector<std::string> leakNotes();
/// In a forked child: nothing was judged yet.
void forgetLeaks();

} // namespace gpuinstr

#endif
