// Compares what is read of Python's frames with what Python's own functions say.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONCHECK_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONCHECK_H

#include "attach/python/PythonCode.h"

namespace gpuinstr::attach {

/// Asks Python to run the comparison soon, on its main thread and under its lock, and to call
/// `atEnd` before the interpreter ends. False: it takes no such call.
bool startPythonCheck(const PythonLayout &layout, void (*done)(bool right), void (*atEnd)());

/// ... and this before os._exit ends the process, from then on. To be said first.
void callBeforeExit(void (*function)(int status));

/// Frames of a thread state, newest first. In Python.cpp.
bool readFramesForCheck(uint64_t state, PythonFrame *frames, unsigned &count);
/// Lines that were read before the comparison failed are taken back. In Place.cpp.
void forgetPythonSites();

} // namespace gpuinstr::attach

#endif
