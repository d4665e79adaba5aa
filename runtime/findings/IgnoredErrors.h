// Errors that nobody asks about.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_IGNOREDERRORS_H
#define GPUINSTR_FINDINGS_IGNOREDERRORS_H

#include "calls/threads/Thread.h"

namespace gpuinstr {

/// What the error becomes when nobody asks.
struct FindingKey;
FindingKey pendingKey(const PendingError &pending);

/// Looks at calls that fail, at cudaGetLastError and cudaPeekAtLastError, and at threads that end.
void addErrorObserver();

} // namespace gpuinstr

#endif
