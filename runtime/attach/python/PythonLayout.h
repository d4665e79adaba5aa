// Where Python keeps what a line needs, by version, and reads that cannot fault.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONLAYOUT_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONLAYOUT_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuinstr::attach {

/// Offsets in CPython's own structs; of 64-bit builds that are neither debug nor free-threaded.
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
};

constexpr uint8_t OwnedByC = 3; ///< a frame that stands for C code, no function of Python's

/// nullptr: a version that is not known here, or a build laid out otherwise. `text` as Python tells
/// its version.
const PythonLayout *layoutOf(const char *text, const void *runtime);

/// False where nothing is mapped.
bool readSafely(uint64_t address, void *to, size_t bytes);
template <class T> bool readSafely(uint64_t address, T &to) {
  return readSafely(address, &to, sizeof to);
}

/// A string object's text as UTF-8; "" it is none.
std::string textOf(const PythonLayout &layout, uint64_t object);
/// The line of an instruction, counted in units of two bytes; 0 unknown.
uint32_t lineOf(const PythonLayout &layout, uint64_t code, uint64_t instruction);

} // namespace gpuinstr::attach

#endif
