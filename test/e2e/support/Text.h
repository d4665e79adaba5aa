// Small text helpers of the end-to-end checker.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_E2E_TEXT_H
#define GPUINSTR_TEST_E2E_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::e2e {

std::string_view trim(std::string_view text);

/// Words of \p text; "double quotes" keep blanks inside a word and are dropped.
std::vector<std::string> splitWords(std::string_view text);

std::vector<std::string> splitLines(std::string_view text);

/// Parts between \p separator, trimmed, without empty ones.
std::vector<std::string> splitList(std::string_view text, char separator);

/// `*` stands for any run of characters, `\*` for a star; everything else for itself.
bool globMatches(std::string_view pattern, std::string_view text);

/// A whole number with an optional KiB, MiB or GiB; nullopt for anything else.
std::optional<int64_t> parseNumber(std::string_view text);

std::string baseName(std::string_view path);

/// Replaces every \p from in \p text.
std::string replaceAll(std::string text, std::string_view from, std::string_view to);

/// The content of a file; nullopt when it cannot be read.
std::optional<std::string> readFile(const std::string &path);

} // namespace gpuinstr::e2e

#endif
