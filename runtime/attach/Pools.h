// Memory that allocators keep and hand out in pieces.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_POOLS_H
#define GPUINSTR_ATTACH_POOLS_H

#include <cstdint>

namespace gpuinstr::attach {

/// `pool` is a text that lives for ever.
void addSegment(uint64_t address, uint64_t bytes, const char *pool);
void dropSegment(uint64_t address);
/// The pool that the address belongs to, nullptr none.
const char *poolAt(uint64_t address);

} // namespace gpuinstr::attach

#endif
