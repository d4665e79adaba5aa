// Small text helpers of the end-to-end checker.
// SPDX-License-Identifier: Apache-2.0
#include "Text.h"

#include <fstream>
#include <limits>
#include <sstream>

namespace gpuinstr::e2e {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false, quoted = false;
  for (char c : text) {
    if (c == '"') {
      quoted = !quoted;
      inWord = true;
    } else if ((c == ' ' || c == '\t') && !quoted) {
      if (inWord)
        words.push_back(word);
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(word);
  return words;
}

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> splitList(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    std::string_view part = trim(text.substr(0, end));
    if (!part.empty())
      parts.emplace_back(part);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

bool globMatches(std::string_view pattern, std::string_view text) {
  if (pattern.empty())
    return text.empty();
  if (pattern.front() == '*') {
    for (size_t skip = 0; skip <= text.size(); ++skip)
      if (globMatches(pattern.substr(1), text.substr(skip)))
        return true;
    return false;
  }
  if (pattern.size() > 1 && pattern[0] == '\\' && pattern[1] == '*')
    pattern.remove_prefix(1);
  return !text.empty() && text.front() == pattern.front() &&
         globMatches(pattern.substr(1), text.substr(1));
}

std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t factor = 1;
  for (auto [suffix, value] : {std::pair<std::string_view, int64_t>{"KiB", int64_t(1) << 10},
                               {"MiB", int64_t(1) << 20},
                               {"GiB", int64_t(1) << 30}})
    if (text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix) {
      factor = value;
      text.remove_suffix(suffix.size());
      break;
    }
  bool negative = !text.empty() && text.front() == '-';
  if (negative)
    text.remove_prefix(1);
  if (text.empty())
    return std::nullopt;
  int64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || number > (std::numeric_limits<int64_t>::max() - 9) / 10)
      return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return (negative ? -number : number) * factor;
}

std::string baseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string replaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::optional<std::string> readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace gpuinstr::e2e
