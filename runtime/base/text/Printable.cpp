// Names and figures as text that is safe to print and fits its column.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace gpuinstr {

namespace {

struct CodePoint {
  uint32_t value = 0;
  std::size_t length = 0; ///< bytes; 0: the first byte starts no valid sequence
};

CodePoint decode(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80)
    return {first, 1};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length)
    return {};
  uint32_t value = first & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return overlong || surrogate || value > 0x10FFFF ? CodePoint{} : CodePoint{value, length};
}

bool between(uint32_t value, uint32_t low, uint32_t high) { return value >= low && value <= high; }

/// Characters that act on the terminal or reorder and hide what stands around them.
bool mustEscape(uint32_t c) {
  return c < 0x20 || between(c, 0x7F, 0x9F) || between(c, 0x200B, 0x200F) ||
         between(c, 0x2028, 0x202E) || between(c, 0x2060, 0x206F) || c == 0x61C || c == 0xFEFF;
}

unsigned columnsOf(uint32_t c) {
  if (between(c, 0x300, 0x36F) || between(c, 0xFE00, 0xFE0F))
    return 0;
  bool wide = between(c, 0x1100, 0x115F) || between(c, 0x2E80, 0xA4CF) ||
              between(c, 0xAC00, 0xD7A3) || between(c, 0xF900, 0xFAFF) ||
              between(c, 0xFE30, 0xFE6F) || between(c, 0xFF00, 0xFF60) ||
              between(c, 0x1F300, 0x1FAFF) || between(c, 0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

void appendEscaped(std::string &out, uint32_t c, bool isByte) {
  if (c == '\n' || c == '\t' || c == '\r') {
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    return;
  }
  bool twoDigits = isByte || c < 0x80;
  out += twoDigits ? "\\x" : "\\u";
  for (int shift = twoDigits ? 4 : 12; shift >= 0; shift -= 4)
    out += "0123456789ABCDEF"[c >> shift & 15];
}

/// Bytes at the front that are a column each and need no escape, as nearly all names are as a
/// whole.
std::size_t plainBytes(std::string_view text) {
  return std::size_t(
      std::find_if_not(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; }) -
      text.begin());
}

/// Bytes of the longest prefix that is at most `columns` wide.
std::size_t prefixBytes(std::string_view text, std::size_t columns) {
  std::size_t at = std::min(plainBytes(text), columns), used = at;
  while (at < text.size()) {
    CodePoint c = decode(text.substr(at));
    used += c.length ? columnsOf(c.value) : 1;
    if (used > columns)
      break;
    at += std::max<std::size_t>(1, c.length);
  }
  return at;
}

/// Bytes to drop from the front so that the rest is at most `columns` wide.
std::size_t suffixStart(std::string_view text, std::size_t columns) {
  std::size_t at = 0, left = displayWidth(text);
  while (at < text.size() && left > columns) {
    CodePoint c = decode(text.substr(at));
    left -= c.length ? columnsOf(c.value) : 1;
    at += std::max<std::size_t>(1, c.length);
  }
  return at;
}

/// Three significant digits: 4.19, 41.9, 419.
std::string threeDigits(double value, Zeros zeros) {
  char buffer[32];
  bool kept = zeros == Zeros::Kept;
  int decimals = value < (kept ? 10 : 9.995) ? 2 : value < (kept ? 100 : 99.95) ? 1 : 0;
  std::snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
  std::string text = buffer;
  if (decimals > 0 && !kept) {
    // 64.0 MB reads as 64 MB; 1.50 stays 1.50, so that columns of one magnitude look alike.
    std::size_t dot = text.find('.');
    if (text.find_first_not_of('0', dot + 1) == std::string::npos)
      text.resize(dot);
  }
  return text;
}

std::string scaled(double value, const char *const *units, std::size_t count,
                   Zeros zeros = Zeros::Dropped) {
  std::size_t unit = 0;
  while (unit + 1 < count && value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  return threeDigits(value, zeros) + " " + units[unit];
}

} // namespace

std::size_t displayWidth(std::string_view text) {
  const std::size_t plain = plainBytes(text);
  std::size_t width = plain;
  for (std::size_t at = plain; at < text.size();) {
    CodePoint c = decode(text.substr(at));
    width += c.length ? columnsOf(c.value) : 1;
    at += std::max<std::size_t>(1, c.length);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (displayWidth(text) <= columns)
    return std::string(text);
  if (columns < 5)
    return std::string(text.substr(0, prefixBytes(text, columns)));
  return shorten(text, columns, (columns - 3) / 2);
}

std::string shorten(std::string_view text, std::size_t columns, std::size_t tail) {
  if (displayWidth(text) <= columns)
    return std::string(text);
  std::size_t head = columns - 3 - tail;
  return std::string(text.substr(0, prefixBytes(text, head))) + "..." +
         std::string(text.substr(suffixStart(text, tail)));
}

std::string printable(std::string_view text, std::size_t columns) {
  constexpr std::size_t Most = 1024;
  std::string out, clipped;
  if (text.size() > Most) {
    std::size_t head = Most / 2, tail = text.size() - Most / 2;
    while (head > Most / 2 - 3 && (text[head] & 0xC0) == 0x80)
      --head;
    while (tail < text.size() - Most / 2 + 3 && (text[tail] & 0xC0) == 0x80)
      ++tail;
    clipped.append(text.substr(0, head)).append("...").append(text.substr(tail));
    text = clipped;
  }
  const std::size_t plain = plainBytes(text);
  out.reserve(text.size());
  out = text.substr(0, plain);
  for (std::size_t at = plain; at < text.size();) {
    CodePoint c = decode(text.substr(at));
    if (c.length == 0)
      appendEscaped(out, static_cast<unsigned char>(text[at]), true);
    else if (mustEscape(c.value))
      appendEscaped(out, c.value, false);
    else
      out += text.substr(at, c.length);
    at += std::max<std::size_t>(1, c.length);
  }
  return columns ? shorten(out, columns) : out;
}

std::string padRight(std::string text, std::size_t columns) {
  std::size_t width = displayWidth(text);
  return width < columns ? text + std::string(columns - width, ' ') : text;
}

std::string padLeft(std::string text, std::size_t columns) {
  std::size_t width = displayWidth(text);
  return width < columns ? std::string(columns - width, ' ') + text : text;
}

std::string bytesText(uint64_t bytes, Zeros zeros) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  return scaled(static_cast<double>(bytes), units, 7, zeros);
}

std::string timeText(double nanoseconds) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  if (!(nanoseconds >= 0))
    nanoseconds = 0;
  if (nanoseconds < 999.5)
    return std::to_string(std::lround(nanoseconds)) + " ns";
  return scaled(nanoseconds, units, 4);
}

std::string plural(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::vector<unsigned> perMille(const std::vector<double> &parts) {
  std::vector<unsigned> shares(parts.size(), 0);
  double sum = 0;
  for (double part : parts)
    sum += std::max(part, 0.0);
  if (!(sum > 0) || !std::isfinite(sum))
    return shares;
  // Largest remainder: whole tenths first, then one more for the largest fractions.
  std::vector<double> rest(parts.size());
  unsigned given = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double exact = std::max(parts[i], 0.0) / sum * 1000;
    shares[i] = static_cast<unsigned>(exact);
    rest[i] = exact - shares[i];
    given += shares[i];
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t i = 0; given < 1000 && i < order.size(); ++i, ++given)
    ++shares[order[i]];
  return shares;
}

std::string percentText(unsigned tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

} // namespace gpuinstr
