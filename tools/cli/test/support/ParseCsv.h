// CSV as a reader sees it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TEST_SUPPORT_PARSECSV_H
#define GPUINSTR_CLI_TEST_SUPPORT_PARSECSV_H

#include <string>
#include <utility>
#include <vector>

namespace gpuinstr::test {

/// Rows of RFC 4180.
inline std::vector<std::vector<std::string>> parseCsv(const std::string &text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(std::exchange(field, ""));
      if (c == '\n')
        rows.emplace_back();
    } else if (quoted || c != '\r') {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

} // namespace gpuinstr::test

#endif
