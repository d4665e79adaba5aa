// What the simulator keeps for each thread of the program.
// SPDX-License-Identifier: Apache-2.0
#include "common/ThreadState.h"

#include <atomic>

namespace gpuinstr::sim {

ThreadState &threadState() {
  static std::atomic<uint64_t> nextThread{1};
  static std::atomic<ThreadState *> newest{nullptr};
  // A plain pointer: a destructor would run before those of the program that still call CUDA.
  static thread_local ThreadState *mine = nullptr;
  if (!mine) {
    mine = new ThreadState;
    mine->id = nextThread++;
    mine->former = newest.exchange(mine);
  }
  return *mine;
}

} // namespace gpuinstr::sim
