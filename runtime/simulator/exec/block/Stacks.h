// Stacks of simulated threads: cut from slabs, kept for reuse, each with a guard page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace gpuinstr::sim {

struct Stack {
  Stack *next = nullptr;
  char *low = nullptr; ///< Lowest usable byte.
  size_t bytes = 0;    ///< Usable, below the top.
  char *top() const { return low + bytes; }
};

/// Bytes of a stack for a device stack limit of \p limit bytes for each thread. Host code needs
/// more than a GPU's, formatting included.
size_t stackBytes(size_t limit);

/// Stacks for one worker, of one size. Not thread-safe; takes from a common store and returns all
/// of them when it dies.
class StackStore {
public:
  explicit StackStore(size_t bytes) : Bytes(bytes) {}
  ~StackStore();
  StackStore(const StackStore &) = delete;
  /// Never null; throws std::bad_alloc when there is no memory.
  Stack *take();
  void giveBack(Stack *s) {
    s->next = Free;
    Free = s;
  }

private:
  size_t Bytes;
  Stack *Free = nullptr;
};

/// The frames there are left for good: AddressSanitizer forgets what it knows of them. Else
/// nothing.
void abandonFrames(const void *low, const void *top);

/// Whether \p address lies in the page below some thread's stack: an overflow. Lock-free, for the
/// signal handler.
bool inStackGuard(const void *address);

} // namespace gpuinstr::sim
