// Reads of Python's objects that cannot fault: strings, and lines of instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONREADS_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONREADS_H

#include "attach/python/PythonLayout.h"
#include <cstddef>
#include <string>

namespace gpuinstr::attach {

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
