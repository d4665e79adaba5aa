// Reads a source line and the variable that it names.
// SPDX-License-Identifier: Apache-2.0
#include "attach/source/SourceLine.h"
#include <cctype>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace gpuinstr::attach {

namespace {

constexpr off_t LargestSource = 8 << 20;

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A name with its attributes and elements, x, self.x or x[0], from `at` on; "" none.
std::string nameAt(const std::string &text, size_t at) {
  size_t end = at;
  int open = 0;
  for (; end < text.size(); ++end) {
    char c = text[end];
    if (c == '[')
      ++open;
    else if (c == ']' && open)
      --open;
    else if (c == '-' && end + 1 < text.size() && text[end + 1] == '>')
      ++end;
    else if (!isWord(c) && c != '.' && !open)
      break;
  }
  if (open || end == at || std::isdigit(static_cast<unsigned char>(text[at])))
    return "";
  return text.substr(at, end - at);
}

size_t skipBlanks(const std::string &text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
    ++at;
  return at;
}

std::string firstArgumentIn(const std::string &source) {
  for (size_t at = source.find("cu"); at != std::string::npos; at = source.find("cu", at + 2)) {
    if (at && isWord(source[at - 1]))
      continue;
    size_t open = at;
    while (open < source.size() && isWord(source[open]))
      ++open;
    if (open == source.size() || source[open] != '(')
      continue;
    at = skipBlanks(source, open + 1);
    if (at < source.size() && source[at] == '(') // a cast
      at = skipBlanks(source, source.find(')', at) + 1);
    while (at < source.size() && (source[at] == '&' || source[at] == '*'))
      ++at;
    std::string name = at < source.size() ? nameAt(source, at) : "";
    size_t behind = skipBlanks(source, at + name.size());
    return behind < source.size() && (source[behind] == ',' || source[behind] == ')') ? name : "";
  }
  return "";
}

} // namespace

std::string lineOfFile(const std::string &file, uint32_t line) {
  struct stat info;
  if (!line || stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > LargestSource)
    return "";
  std::ifstream in(file);
  std::string text;
  for (uint32_t i = 0; i < line; ++i)
    if (!std::getline(in, text))
      return "";
  return text;
}

std::string assignedIn(const std::string &source) {
  size_t at = skipBlanks(source, 0), sign = source.find('=', at);
  if (sign == std::string::npos || sign == at || sign + 1 >= source.size() ||
      source[sign + 1] == '=' || std::strchr("=!<>+-*/%&|^:(", source[sign - 1]))
    return "";
  size_t end = source.find_last_not_of(" \t", sign - 1) + 1;
  if (end > at && nameAt(source, at).size() == end - at)
    return source.substr(at, end - at);
  size_t colon = source.find(':', at); // x: Array = f()
  if (colon < sign && colon > at && nameAt(source, at).size() == colon - at)
    return source.substr(at, colon - at);
  size_t begin = end; // Type *x = f()
  while (begin > at && isWord(source[begin - 1]))
    --begin;
  bool typed = begin > at && std::strchr(" \t*&", source[begin - 1]) &&
               source.find_first_of("(),", at) > sign;
  return typed && nameAt(source, begin).size() == end - begin ? source.substr(begin, end - begin)
                                                              : "";
}

std::string variableIn(const std::string &source, bool python) {
  return python ? assignedIn(source) : firstArgumentIn(source);
}

} // namespace gpuinstr::attach
