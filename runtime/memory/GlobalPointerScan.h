// Which allocations a global variable still points to, or one of the thread that asks.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_GLOBALPOINTERSCAN_H
#define GPUINSTR_MEMORY_GLOBALPOINTERSCAN_H

#include "ledger/Ledger.h"

namespace gpuinstr {

/// Sets `held` of allocations whose address, or one inside them, stands in an aligned word of the
/// writable data of a loaded module; of a handle, the handle itself. CUDA's own libraries and this
/// one do not count. Takes at most `budgetNs`; false when that ended it early.
bool markHeld(std::vector<Allocation> &allocations, uint64_t budgetNs = 300000000);

} // namespace gpuinstr

#endif
