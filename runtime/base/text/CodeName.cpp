// Qualified names of C++ in columns that are too narrow for them.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include <vector>

namespace gpuinstr {

namespace {

/// `a::B<c::D>::e<f>`: where a, B and e begin, and where the arguments of e do.
struct Parts {
  std::vector<std::size_t> scopes{0}; ///< empty: no such name
  std::size_t arguments = std::string_view::npos;
};

Parts partsOf(std::string_view name) {
  Parts parts;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' && depth == 0)
      parts.arguments = i;
    depth += c == '<' || c == '(';
    depth -= c == '>' || c == ')';
    if (depth < 0)
      return {{}, 0};
    if (depth == 0 && name.compare(i, 2, "::") == 0) {
      parts.scopes.push_back(i + 2);
      parts.arguments = std::string_view::npos;
      ++i;
    }
  }
  if (depth != 0 || parts.scopes.back() == name.size())
    return {{}, 0};
  if (name.back() != '>')
    parts.arguments = std::string_view::npos;
  return parts;
}

} // namespace

std::string shortenName(std::string_view name, std::size_t columns) {
  if (displayWidth(name) <= columns)
    return std::string(name);
  const Parts parts = partsOf(name);
  if (parts.scopes.empty() || name.find("operator") != name.npos)
    return shorten(name, columns);
  const bool isTemplate = parts.arguments != name.npos;
  const std::string_view bare = name.substr(0, parts.arguments);
  const std::string_view arguments =
      isTemplate ? name.substr(parts.arguments + 1, name.size() - parts.arguments - 2) : "";
  for (std::size_t scope : parts.scopes) {
    std::string text = (scope ? "...::" : "") + std::string(bare.substr(scope));
    const std::size_t width = displayWidth(text);
    if (!isTemplate && width <= columns)
      return text;
    if (!isTemplate || width + 5 > columns)
      continue;
    constexpr std::size_t LeastTelling = 12;
    const std::size_t room = columns - width - 2;
    return text + "<" + (room < LeastTelling ? "..." : shorten(arguments, room)) + ">";
  }
  return shorten(bare.substr(parts.scopes.back()), columns);
}

} // namespace gpuinstr
