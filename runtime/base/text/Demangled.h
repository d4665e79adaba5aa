// Names of C++ as in the source. A header alone: the library that attaches links nothing of the
// runtime. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_DEMANGLED_H
#define GPUINSTR_BASE_TEXT_DEMANGLED_H

#include <cstdlib>
#include <cxxabi.h>
#include <string>

namespace gpuinstr {

/// What is no mangled name: as it is.
inline std::string demangled(const char *name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string plain = status == 0 && text ? text : name;
  std::free(text);
  return plain;
}

} // namespace gpuinstr

#endif
