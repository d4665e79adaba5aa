// Names of kernels as people write them.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/KernelName.h"
#include <cstdlib>
#include <cxxabi.h>

namespace gpuinstr {

std::string shortKernelName(const char *mangled) {
  if (!mangled)
    return "";
  int status = 0;
  char *text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : mangled;
  std::free(text);
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
