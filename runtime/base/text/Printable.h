// Names and figures as text that is safe to print and fits its column.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_PRINTABLE_H
#define GPUINSTR_BASE_TEXT_PRINTABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr {

/// Escapes control characters, bytes that are not UTF-8 and characters that reorder text, so that a
/// name can neither move the cursor nor fake a line; then shortens to `columns` (0: not at all).
/// Text of more than 1024 bytes loses its middle in any case: template names can be 100 kB long.
std::string printable(std::string_view text, std::size_t columns = 0);

/// Columns that UTF-8 text takes on a terminal.
std::size_t displayWidth(std::string_view text);

/// At most `columns` wide, the middle replaced by "...". Never splits a UTF-8 sequence.
std::string shorten(std::string_view text, std::size_t columns);
/// The same with `tail` columns behind the "...", at least 5 `columns`.
std::string shorten(std::string_view text, std::size_t columns, std::size_t tail);

/// Padded with blanks to `columns`; longer text stays as it is.
std::string padRight(std::string text, std::size_t columns);
std::string padLeft(std::string text, std::size_t columns);

/// Whether a whole number keeps its zeros: "64 MB" in the report's tables, "64.0 MB" in sentences.
enum class Zeros { Dropped, Kept };

/// "512 B", "4.19 MB": three significant digits, decimal units. With zeros kept the digits are
/// chosen before rounding: 9999 is "10.00 kB".
std::string bytesText(uint64_t bytes, Zeros zeros = Zeros::Dropped);

/// "812 ns", "1.45 ms", "152 ms", "2.31 s": three significant digits, up to seconds.
std::string timeText(double nanoseconds);

/// "1 leak", "2 leaks".
std::string plural(uint64_t count, std::string_view one, std::string_view many);

/// Shares of their sum in tenths of a percent, rounded so that they add up to 1000 exactly. All 0
/// when the sum is 0.
std::vector<unsigned> perMille(const std::vector<double> &parts);

/// 416 -> "41.6".
std::string percentText(unsigned tenths);

} // namespace gpuinstr

#endif
