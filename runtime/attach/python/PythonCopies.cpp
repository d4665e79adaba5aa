// Which instruction a thread of a free-threaded Python runs.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonCopies.h"

namespace gpuinstr::attach {

namespace {

/// A code object that is gone, and another that lies where it was, differ in one of these, or the
/// instruction lies outside.
struct Met {
  uint64_t code = 0, lineTable = 0, copies = 0;
  uint64_t first = 0;
  int32_t index = 0;
};
constexpr unsigned Bits = 6;
thread_local Met Cache[1 << Bits];

bool lies(const RunningCode &running, uint64_t first) {
  return first && running.address - first < running.bytes;
}

uint64_t readCopy(const PythonLayout &layout, const RunningCode &running) {
  constexpr uint64_t Word = sizeof(uint64_t);
  constexpr unsigned MostTries = 4; // the array is exchanged some ten times in its life
  for (unsigned i = 0; i < MostTries; ++i) {
    uint64_t array = 0, still = 0, count = 0, first = 0;
    if (!readSafely(running.code + layout.copies, array) || !readSafely(array, count) ||
        running.index < 0 || uint64_t(running.index) >= count ||
        !readSafely(array + Word + Word * uint64_t(running.index), first) ||
        !readSafely(running.code + layout.copies, still))
      continue;
    if (array == still) // it was not freed before it was read
      return first;
  }
  return 0;
}

} // namespace

uint64_t copyOf(const PythonLayout &layout, const RunningCode &running) {
  Met &met = Cache[(running.code >> 4) * 0x9e3779b97f4a7c15u >> (64 - Bits)];
  if (met.code == running.code && met.lineTable == running.lineTable &&
      met.copies == running.copies && met.index == running.index && lies(running, met.first))
    return met.first;
  uint64_t first = readCopy(layout, running);
  if (!lies(running, first))
    return 0;
  met = {running.code, running.lineTable, running.copies, first, running.index};
  return first;
}

} // namespace gpuinstr::attach
