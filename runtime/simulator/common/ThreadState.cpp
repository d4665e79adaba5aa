// What the simulator keeps for each thread of the program.
// SPDX-License-Identifier: Apache-2.0
#include "common/ThreadState.h"
#include "common/PerThread.h"

namespace gpuinstr::sim {

ThreadState &threadState() {
  static std::atomic<uint64_t> nextThread{1};
  ThreadState &mine = perThread<ThreadState>();
  if (mine.id == 0)
    mine.id = nextThread++;
  return mine;
}

} // namespace gpuinstr::sim
