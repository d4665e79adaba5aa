// Looking at a rendered report in tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_REPORT_REPORTLINES_H
#define GPUINSTR_TEST_REPORT_REPORTLINES_H

#include "base/text/Printable.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gpuinstr::test {

inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    EXPECT_NE(end, std::string::npos) << "no newline at the end";
    if (end == std::string::npos)
      break;
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The first line that starts with `head`, "" none.
inline std::string lineWith(const std::string &text, const std::string &head) {
  for (const std::string &line : linesOf(text))
    if (line.rfind(head, 0) == 0)
      return line;
  return "";
}

inline void expectFits(const std::string &text, std::size_t maxLines = 40) {
  std::vector<std::string> lines = linesOf(text);
  EXPECT_LE(lines.size(), maxLines) << text;
  for (const std::string &line : lines) {
    EXPECT_LE(displayWidth(line), 100u) << line;
    EXPECT_EQ(printable(line), line) << "not safe to print";
    EXPECT_TRUE(line.empty() || line.back() != ' ') << '[' << line << ']';
  }
}

} // namespace gpuinstr::test

#endif
