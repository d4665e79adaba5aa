// When a thread may read frames: until the interpreter ends.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonGate.h"
#include "base/HotCode.h"
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr::attach {

GPUINSTR_HOT_DATA PythonGate ThePythonGate;
pthread_t PythonGateCloser;

namespace {

/// Never freed: those of threads that ended are taken again.
std::atomic<PythonReader *> Readers{nullptr};

struct Own {
  PythonReader *reader = nullptr, **keptAt = nullptr;

  ~Own() {
    if (!reader)
      return;
    *keptAt = nullptr;
    reader->isTaken.store(false, std::memory_order_release);
    reader = nullptr;
  }
};
thread_local Own This;

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
/// MEMBARRIER_CMD_PRIVATE_EXPEDITED and its registration, once a process: linux/membarrier.h is not
/// everywhere.
bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }
constexpr int Barrier = 1 << 3, Register = 1 << 4;
bool takesBarriers() { return membarrier(Register); }
/// A forked child may have to ask for it again.
bool putBarrier() { return membarrier(Barrier) || (membarrier(Register) && membarrier(Barrier)); }
#else
bool takesBarriers() { return false; }
bool putBarrier() { return false; }
#endif

/// The first ones lie where others find what they need for a call.
GPUINSTR_HOT_DATA PythonReader First[8];
std::atomic<unsigned> FirstTaken{0};

PythonReader &freshReader() {
  unsigned number = FirstTaken.load() < 8 ? FirstTaken.fetch_add(1) : 8;
  return number < 8 ? First[number] : *new PythonReader;
}

PythonReader *takenAgain() {
  for (PythonReader *reader = Readers.load(); reader; reader = reader->next)
    if (!reader->isTaken.load(std::memory_order_relaxed) && !reader->isTaken.exchange(true))
      return reader;
  return nullptr;
}

bool isReading(const PythonReader &reader) {
  return &reader != This.reader && reader.process.load() == getpid() && reader.isReading.load();
}

} // namespace

PythonReader &newPythonReader(PythonReader *&mine) {
  PythonReader *reader = takenAgain();
  if (!reader) {
    reader = &freshReader();
    reader->next = Readers.load();
    while (!Readers.compare_exchange_weak(reader->next, reader))
      ;
  }
  reader->process.store(getpid());
  This.reader = mine = reader;
  This.keptAt = &mine;
  return *reader;
}

void dropPythonBarriers() {
  static const bool takes = takesBarriers();
  ThePythonGate.hasBarrier.store(takes);
}

void closePythonGate() {
  constexpr unsigned Pause = 50, MostPauses = 20000; // microseconds
  PythonGateCloser = pthread_self();
  ThePythonGate.isClosed.store(true);
  // From here on whoever has passed is seen to read, and whoever comes sees the gate closed.
  if (ThePythonGate.hasBarrier.load() && !putBarrier())
    usleep(Pause); // the system has taken them away: what was stored has long arrived by then
  unsigned pauses = 0;
  for (PythonReader *reader = Readers.load(); reader; reader = reader->next)
    for (; isReading(*reader) && pauses < MostPauses; ++pauses)
      usleep(Pause);
}

} // namespace gpuinstr::attach
