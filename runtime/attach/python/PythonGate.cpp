// When a thread may read frames: until the interpreter ends.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonGate.h"
#include <unistd.h>

namespace gpuinstr::attach {

std::atomic<bool> PythonGateClosed{false};
pthread_t PythonGateCloser;
__thread PythonReader *ThisPythonReader = nullptr;

namespace {

/// Never freed: those of threads that ended are taken again.
std::atomic<PythonReader *> Readers{nullptr};

struct AtThreadEnd {
  ~AtThreadEnd() {
    if (PythonReader *reader = ThisPythonReader) {
      ThisPythonReader = nullptr;
      reader->isTaken.store(false, std::memory_order_release);
    }
  }
};

PythonReader *takenAgain() {
  for (PythonReader *reader = Readers.load(); reader; reader = reader->next)
    if (!reader->isTaken.load(std::memory_order_relaxed) && !reader->isTaken.exchange(true))
      return reader;
  return nullptr;
}

bool isReading(const PythonReader &reader) {
  return &reader != ThisPythonReader && reader.process.load() == getpid() &&
         reader.isReading.load();
}

} // namespace

PythonReader &newPythonReader() {
  thread_local AtThreadEnd atEnd;
  (void)&atEnd;
  PythonReader *reader = takenAgain();
  if (!reader) {
    reader = new PythonReader;
    reader->next = Readers.load();
    while (!Readers.compare_exchange_weak(reader->next, reader))
      ;
  }
  reader->process.store(getpid());
  ThisPythonReader = reader;
  return *reader;
}

void closePythonGate() {
  constexpr unsigned Pause = 50, MostPauses = 20000; // microseconds
  PythonGateCloser = pthread_self();
  PythonGateClosed.store(true);
  unsigned pauses = 0;
  for (PythonReader *reader = Readers.load(); reader; reader = reader->next)
    for (; isReading(*reader) && pauses < MostPauses; ++pauses)
      usleep(Pause);
}

} // namespace gpuinstr::attach
