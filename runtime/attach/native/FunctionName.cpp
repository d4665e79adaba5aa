// Names of C++ functions as a report shows them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/FunctionName.h"
#include "base/text/Demangled.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr::attach {

namespace {

bool endsWith(const std::string &text, const char *end) {
  size_t length = std::strlen(end);
  return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

/// Where the arguments of a demangled name begin; its size where it has none.
size_t argumentsOf(const std::string &name) {
  size_t close = name.rfind(')');
  int open = 0;
  for (size_t at = close; at != std::string::npos && at > 0; --at) {
    open += (name[at] == ')') - (name[at] == '(');
    if (!open)
      return at;
  }
  return name.size();
}

/// Where the name itself begins, behind what a template returns.
size_t beginOf(const std::string &name) {
  size_t end = name.find("operator"), begin = 0;
  int open = 0;
  for (size_t at = 0; at < std::min(end, name.size()); ++at) {
    if (std::strchr("<({[", name[at]))
      ++open;
    else if (std::strchr(">)}]", name[at]))
      --open;
    else if (name[at] == ' ' && !open)
      begin = at + 1;
  }
  return begin;
}

} // namespace

std::string functionName(const std::string &mangled) {
  std::string name = demangled(mangled.c_str());
  if (name == mangled)
    return name;
  if (size_t clone = name.find(" [clone "); clone != std::string::npos && clone > 0)
    name.resize(clone);
  for (const char *qualifier : {" const", " volatile", " &", " &&"})
    if (endsWith(name, qualifier))
      name.resize(name.size() - std::strlen(qualifier));
  if (!endsWith(name, ")"))
    return name;
  size_t end = argumentsOf(name);
  name.resize(end ? end : name.size());
  return name.substr(beginOf(name));
}

} // namespace gpuinstr::attach
