// Which instruction a thread of a free-threaded Python runs.
// SPDX-License-Identifier: Apache-2.0
//
// From 3.14 on each thread runs a copy of a code object's instructions of its own, which it changes
// as it learns. A code object has an array of them. The array is exchanged for a larger one when a
// thread comes that it has no room for, and the old one is freed while threads that are inside a
// call may still look at it; so it is read only by reads that cannot fault, and a copy that was
// found is kept. A thread's own copy stays where it is for as long as the thread lives.
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONCOPIES_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONCOPIES_H

#include "attach/python/PythonReads.h"

namespace gpuinstr::attach {

/// What a frame runs.
struct RunningCode {
  uint64_t code, lineTable, address; ///< `address` of the instruction
  uint64_t copies;                   ///< the array, at this moment
  int32_t index;
  uint64_t bytes; ///< of all instructions
};

/// Where the copy begins in which `running.address` lies; 0 not found. Of the calling thread.
uint64_t copyOf(const PythonLayout &layout, const RunningCode &running);

} // namespace gpuinstr::attach

#endif
