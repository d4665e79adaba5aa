// Names of kernels as people write them.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/KernelName.h"
#include "base/text/Demangled.h"
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace gpuinstr {

namespace {

/// Of a function that Numba compiled, "_ZN" module, names, "B2v" and more, the names: as in Python.
/// Else "".
std::string numbaName(const std::string &mangled) {
  size_t at = 3;
  std::string name;
  bool isModule = true;
  while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at]))) {
    char *end = nullptr;
    size_t length = std::strtoul(mangled.c_str() + at, &end, 10);
    at = size_t(end - mangled.c_str());
    if (length > mangled.size() - at)
      return "";
    if (!isModule)
      name += (name.empty() ? "" : ".") + mangled.substr(at, length);
    isModule = false;
    at += length;
  }
  return mangled.compare(at, 3, "B2v") == 0 ? name : "";
}

} // namespace

std::string shortKernelName(const char *mangled) {
  if (!mangled)
    return "";
  if (std::strncmp(mangled, "_ZN", 3) == 0)
    if (std::string name = numbaName(mangled); !name.empty())
      return name;
  std::string name = demangled(mangled);
  // The parameter list is the last bracket at the outermost level.
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' || name[i] == '>';
    depth -= name[i] == '(' || name[i] == '<';
    if (depth == 0 && name[i] == '(') {
      name.resize(i);
      break;
    }
  }
  return name.compare(0, 5, "void ") == 0 ? name.substr(5) : name;
}

} // namespace gpuinstr
