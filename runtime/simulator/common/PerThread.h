// What each thread of the program has of its own here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace gpuinstr::sim {

/// The thread's T. None is ever destroyed: a destructor would run before those of the program that
/// still call CUDA. All are linked, so a leak checker finds what threads that ended have left.
template <typename T> T &perThread() {
  struct Kept {
    T value;
    Kept *former = nullptr;
  };
  static std::atomic<Kept *> newest{nullptr};
  static thread_local Kept *mine = nullptr;
  if (!mine) {
    mine = new Kept;
    mine->former = newest.exchange(mine);
  }
  return mine->value;
}

} // namespace gpuinstr::sim
