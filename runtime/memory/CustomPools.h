// Pieces that custom allocators hand out: gpuinstr_pool_alloc and gpuinstr_pool_free.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_CUSTOMPOOLS_H
#define GPUINSTR_MEMORY_CUSTOMPOOLS_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

void poolAlloc(const void *pool, const void *pointer, uint64_t bytes);
void poolFree(const void *pool, const void *pointer);
/// One line per pool with pieces that were never given back.
std::vector<std::string> poolNotes();
/// In a forked child: the parent's.
void forgetPools();

} // namespace gpuinstr

#endif
