// From a region to a kernel's arguments.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HASH_HASHWORK_H
#define GPUINSTR_AUDIT_HASH_HASHWORK_H

#include "audit/hash/HashRegion.h"
#include "cuda/operands/CallOperands.h"

namespace gpuinstr::audit {

/// The kernels of DeviceHash.cu.
enum class HashKernel { Aligned, Unaligned, AlignedRows, Rows };
constexpr unsigned HashKernels = 4;
const char *nameOf(HashKernel kernel);

/// Threads in a block: what the kernels were compiled for.
constexpr uint32_t HashThreads = 256;

/// Rows without gaps become one row. False: not linear memory, rows that overlap, or more bytes
/// than 64 bits count.
bool makeWork(const cuda::Region &region, hash::Work &work, HashKernel &kernel);

/// As many blocks as there is work for. What the device holds at once, or a multiple: more blocks
/// even out the memory's differences, but each costs a few atomic operations at its end.
uint32_t blocksFor(uint64_t bytes, uint32_t multiprocessors);

} // namespace gpuinstr::audit

#endif
