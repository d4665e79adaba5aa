// From a region to a kernel's arguments.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HashWork.h"
#include <algorithm>

namespace gpuinstr::audit {

const char *nameOf(HashKernel kernel) {
  static const char *const names[HashKernels] = {"gpuinstr_hash_aligned", "gpuinstr_hash_unaligned",
                                                 "gpuinstr_hash_aligned_rows",
                                                 "gpuinstr_hash_rows"};
  return names[unsigned(kernel)];
}

// What hash::quotient() is exact for.
constexpr uint64_t MostBytes = uint64_t(1) << 60;

bool makeWork(const cuda::Region &region, hash::Work &work, HashKernel &kernel) {
  cuda::Region r = region;
  uint64_t rows = 0;
  if (!r.address || r.array || __builtin_mul_overflow(r.rows, r.slices, &rows) ||
      __builtin_mul_overflow(r.width, rows, &work.bytes) || work.bytes >= MostBytes ||
      r.span() == UINT64_MAX)
    return false;
  if ((r.rows > 1 && r.pitch < r.width) ||
      (r.slices > 1 && r.slicePitch < (r.rows - 1) * r.pitch + r.width))
    return false;
  work.address = r.address;
  if (r.rows == 1) { // slices are then its rows
    r.rows = r.slices;
    r.pitch = r.slicePitch;
    r.slices = 1;
  } else if (r.slices > 1 && r.slicePitch == r.rows * r.pitch) {
    r.rows *= r.slices;
    r.slices = 1;
  }
  if (work.bytes == 0 || (r.slices == 1 && (r.rows == 1 || r.pitch == r.width))) {
    kernel = r.address % hash::WordBytes ? HashKernel::Unaligned : HashKernel::Aligned;
    return true;
  }
  work.width = r.width;
  work.pitch = r.pitch;
  work.sliceRows = r.rows;
  work.slicePitch = r.slicePitch;
  work.perWidth = hash::reciprocal(r.width);
  work.perSlice = hash::reciprocal(r.rows);
  bool aligned = (r.address | r.width | r.pitch | r.slicePitch) % hash::WordBytes == 0;
  kernel = aligned ? HashKernel::AlignedRows : HashKernel::Rows;
  return true;
}

uint32_t blocksFor(uint64_t bytes, uint32_t multiprocessors) {
  constexpr uint32_t ResidentBlocks = 4; // DeviceHash.cu's launch bounds
  constexpr uint64_t TileBytes = uint64_t(HashThreads) * hash::Unroll * hash::WordBytes;
  const uint64_t tiles = (bytes + TileBytes - 1) / TileBytes;
  uint64_t most = std::max<uint64_t>(1, uint64_t(multiprocessors) * ResidentBlocks);
  for (unsigned doubled = 0; doubled < 3 && tiles >= 2 * 3 * most; ++doubled)
    most *= 2;
  return uint32_t(std::clamp<uint64_t>(tiles, 1, most));
}

} // namespace gpuinstr::audit
