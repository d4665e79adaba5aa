// When a thread may read frames: until the interpreter ends.
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter that ends frees the state of other threads, which may still be inside calls. Who
// ends it closes the gate, and waits for those who are reading.
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONGATE_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONGATE_H

#include <atomic>
#include <pthread.h>

namespace gpuinstr::attach {

/// A thread that reads frames.
struct PythonReader {
  std::atomic<bool> isReading{false}, isTaken{true};
  std::atomic<int> process{0}; ///< a forked child has none of its parent's threads
  PythonReader *next = nullptr;
};

/// Set by the thread that ends the interpreter: from then on it alone reads frames.
extern std::atomic<bool> PythonGateClosed;
extern pthread_t PythonGateCloser;
extern __thread PythonReader *ThisPythonReader;

PythonReader &newPythonReader();
/// Until then no other thread is left that reads. Waits one second at most.
void closePythonGate();

/// While one lives, the frames of its thread stay.
class PythonGatePass {
public:
  PythonGatePass() : Reader(ThisPythonReader ? *ThisPythonReader : newPythonReader()) {
    Reader.isReading.exchange(true); // before the gate is looked at, in the order of all threads
    Closed = PythonGateClosed.load();
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
