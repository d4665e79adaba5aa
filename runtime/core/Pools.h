// Pieces that custom allocators hand out: gpuinstr_pool_alloc and gpuinstr_pool_free.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CORE_POOLS_H
#define GPUINSTR_CORE_POOLS_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr::core {

void poolAlloc(const void *pool, const void *pointer, uint64_t bytes);
void poolFree(const void *pool, const void *pointer);
/// One line per pool with pieces that were never given back.
std::vector<std::string> poolNotes();
void clearPools();

} // namespace gpuinstr::core

#endif
