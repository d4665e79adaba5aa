// When a thread may read frames: until the interpreter ends.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter that ends frees the state of other threads, which may still be inside calls. Who
// ends it closes the gate, and waits for those who are reading.
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONGATE_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONGATE_H

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace gpuinstr::attach {

/// A thread that reads frames.
struct alignas(64) PythonReader {
  std::atomic<bool> isReading{false}, isTaken{true};
  uint16_t passes = 0;         ///< with a barrier of its own, until the system is asked for them
  std::atomic<int> process{0}; ///< a forked child has none of its parent's threads
  PythonReader *next = nullptr;
};

/// What passing it reads.
struct PythonGate {
  /// Set by the thread that ends the interpreter: from then on it alone reads frames.
  std::atomic<bool> isClosed{false};
  /// Who closes it has the system put a barrier into every thread, so that those who pass need none
  /// of their own. False: not of this system.
  std::atomic<bool> hasBarrier{false};
};
extern PythonGate ThePythonGate;
extern pthread_t PythonGateCloser;

/// This thread's; `mine` is where it keeps it, until it ends.
PythonReader &newPythonReader(PythonReader *&mine);
/// Passes that need no barrier from then on, if the system has them: asking for that takes it
/// milliseconds once, so it is worth while for many.
void dropPythonBarriers();
/// Until then no other thread is left that reads. Waits one second at most.
void closePythonGate();

/// While one lives, the frames of its thread stay.
class PythonGatePass {
public:
  /// `mine`: this thread's, null at first.
  explicit PythonGatePass(PythonReader *&mine) : Reader(mine ? *mine : newPythonReader(mine)) {
    // Before the gate is looked at, in the order of all threads.
    if (__builtin_expect(ThePythonGate.hasBarrier.load(std::memory_order_relaxed), true)) {
      Reader.isReading.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      Reader.isReading.exchange(true);
      constexpr uint16_t Many = 20000;
      if (__builtin_expect(++Reader.passes == Many, false))
        dropPythonBarriers();
    }
    Closed = ThePythonGate.isClosed.load();
  }
  ~PythonGatePass() { Reader.isReading.store(false, std::memory_order_release); }
  PythonGatePass(const PythonGatePass &) = delete;
  PythonGatePass &operator=(const PythonGatePass &) = delete;

  bool mayRead() const { return !Closed || pthread_equal(PythonGateCloser, pthread_self()); }
  bool isOpen() const { return !Closed; }

private:
  PythonReader &Reader;
  bool Closed;
};

} // namespace gpuinstr::attach

#endif
