// Where Python keeps what a line needs, by version.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONLAYOUT_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONLAYOUT_H

#include <cstdint>
#include <optional>

namespace gpuinstr::attach {

/// Offsets in CPython's own structs; of 64-bit builds.
struct PythonLayout {
  /// Frames that are objects, and the tables of lines of their time: 3.9 and 3.10.
  enum Age : uint8_t { Bytes, Ranges, Modern };
  unsigned minor;
  int frameHolder;  ///< PyThreadState.cframe; -1: the thread state holds the frame itself
  unsigned current; ///< current_frame, in either
  unsigned code, previous, instruction, owner;                         ///< of _PyInterpreterFrame
  unsigned firstLine, fileName, qualName, lineTable, firstInstruction; ///< of PyCodeObject
  unsigned asciiText, wideText; ///< where a compact string's characters begin
  Age age = Modern;
  unsigned length = 16;      ///< of a string, of bytes, and of a code object in instructions
  unsigned stringState = 32; ///< how a string's characters are kept
  unsigned kindBit = 2;      ///< ... from which bit on: their size, whether compact, whether ASCII
  unsigned bytesText = 32;
  /// Free-threaded, from 3.14 on: the array of a code object's copies, one for each thread, and
  /// which of them a frame runs. 0: there is one set of instructions, in the code object.
  unsigned copies = 0, copyIndex = 0;
};

constexpr uint8_t OwnedByC = 3; ///< a frame that stands for C code, no function of Python's

/// None: a version that is not known here, or a build that does not say of itself what that version
/// says. `text` as Python tells its version, `runtime` its _PyRuntime.
std::optional<PythonLayout> layoutOf(const char *text, const void *runtime);

} // namespace gpuinstr::attach

#endif
