// Memory that the runtime itself holds.
// SPDX-License-Identifier: Apache-2.0
//
// Counted where it is taken: everything that the runtime's C++ code allocates, and the mappings
// that are announced here. What the driver, CUPTI or a listening tool takes for it is not known.
#ifndef GPUINSTR_BASE_OWNMEMORY_H
#define GPUINSTR_BASE_OWNMEMORY_H

#include <cstdint>

namespace gpuinstr {

/// Bytes held now; of a mapping all, touched or not. Any thread.
uint64_t ownHostBytes();

/// At the start: a little address space for the day when there is none to be had.
void reserveOwnMemory();

/// From now on this thread takes what it allocates from a mapping of its own and gives nothing
/// back: the process is about to die, and the thread that the signal interrupted may hold the
/// allocator's lock.
void leaveTheAllocator();

/// While it lives, what the allocator refuses this thread comes from that mapping. For the report,
/// whose code does not bear a refusal everywhere.
class RescueScope {
public:
  /// MappingFirst: so do the first megabytes. For the process's last report: CUDA's teardown leaves
  /// 38,000 chunks free, and the first kilobyte that the allocator is asked for makes it put them
  /// all together, 1.1 to 1.6 ms (static cudart, CUDA 13).
  enum Order { AllocatorFirst, MappingFirst };
  explicit RescueScope(Order order = AllocatorFirst);
  RescueScope(const RescueScope &) = delete;
  ~RescueScope();

private:
  bool Before;
};

/// A mapping or C allocation came (bytes > 0) or went (bytes < 0).
void noteOwnMapping(int64_t bytes);

} // namespace gpuinstr

#endif
