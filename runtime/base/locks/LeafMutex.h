// Mutexes that fork takes all together.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_LOCKS_LEAFMUTEX_H
#define GPUINSTR_BASE_LOCKS_LEAFMUTEX_H

#include <mutex>

namespace gpuinstr {

/// Under it no other mutex of the runtime's is taken. fork takes all of them, behind those of the
/// parts (process/Parts.cpp): a child finds none taken, and nothing half written.
class LeafMutex : public std::mutex {
public:
  LeafMutex();
  ~LeafMutex();
  LeafMutex(const LeafMutex &) = delete;
};

/// Around fork, by the thread that forks; in the child, too. None is made or ended in between.
void lockLeaves();
void unlockLeaves();

} // namespace gpuinstr

#endif
