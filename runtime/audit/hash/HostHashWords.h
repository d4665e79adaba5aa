// The host's hash with the processor's wide instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HASH_HOSTHASHWORDS_H
#define GPUINSTR_AUDIT_HASH_HOSTHASHWORDS_H

#include "audit/hash/ContentHash.h"

namespace gpuinstr::audit {

/// Whether this processor has them (AVX2).
bool hasWideWords();

/// Adds words to `sums`, the first of which has this index; returns how many: all but fewer than
/// four, or none where there are no such instructions.
uint64_t hashWords(const char *at, uint64_t words, uint64_t index, hash::Sums &sums);

} // namespace gpuinstr::audit

#endif
