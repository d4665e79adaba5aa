// Code objects that were met, by number.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_PYTHON_PYTHONCODE_H
#define GPUINSTR_ATTACH_PYTHON_PYTHONCODE_H

#include "attach/python/PythonReads.h"

namespace gpuinstr::attach {

/// Tells a code object from one that later lies at the same address: all of these would have to
/// come to lie where they were.
struct PythonFingerprint {
  uint64_t code = 0, fileName = 0, qualName = 0, lineTable = 0;
  uint32_t firstLine = 0;

  bool operator==(const PythonFingerprint &other) const {
    return code == other.code && fileName == other.fileName && qualName == other.qualName &&
           lineTable == other.lineTable && firstLine == other.firstLine;
  }
};

struct PythonFrame {
  PythonFingerprint print;
  uint64_t instruction = 0; ///< in units of two bytes
  uint64_t address = 0;
};

struct PythonCode {
  enum Kind : uint8_t { User, Library, Standard };
  PythonFingerprint print;
  uint32_t number = 0;
  Kind kind = User;
  bool isPlumbing = false; ///< a wrapper or private: no name that a user knows
  std::string fileName, qualName;
  const char *keeper = nullptr; ///< a library that frees what it allocates by itself

  std::string shortName() const; ///< cupy.asarray
};

/// The code objects that a thread met last.
class PythonCodes {
public:
  /// Never freed. Its texts are read when it is first met.
  const PythonCode &find(const PythonLayout &layout, const PythonFingerprint &print) {
    Met &met = Cache[print.code * 0x9e3779b97f4a7c15u >> (64 - Bits)];
    if (__builtin_expect(!met.code || !(met.print == print), false)) {
      met.code = &learn(layout, print);
      met.print = print;
    }
    return *met.code;
  }

private:
  static const PythonCode &learn(const PythonLayout &layout, const PythonFingerprint &print);

  /// One line of the processor's caches.
  struct alignas(64) Met {
    PythonFingerprint print;
    const PythonCode *code = nullptr;
  };
  static constexpr unsigned Bits = 8;
  Met Cache[1 << Bits];
};
/// This thread's.
PythonCodes &pythonCodes();

/// nullptr: never given.
const PythonCode *pythonCodeNumber(uint32_t number);

/// Whose code a file holds.
PythonCode::Kind kindOf(const std::string &fileName);

} // namespace gpuinstr::attach

#endif
