// Reads of Python's objects that cannot fault: strings, and lines of instructions.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonReads.h"
#include "cuda/ReadableMemory.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace gpuinstr::attach {

namespace {

constexpr size_t LongestText = 4096, LongestTable = 1 << 20;

void appendUtf8(std::string &to, uint32_t c) {
  if (c < 0x80) {
    to += char(c);
  } else if (c < 0x800) {
    to += char(0xc0 | c >> 6);
    to += char(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    to += char(0xe0 | c >> 12);
    to += char(0x80 | (c >> 6 & 0x3f));
    to += char(0x80 | (c & 0x3f));
  } else {
    to += char(0xf0 | (c >> 18 & 7));
    to += char(0x80 | (c >> 12 & 0x3f));
    to += char(0x80 | (c >> 6 & 0x3f));
    to += char(0x80 | (c & 0x3f));
  }
}

/// PEP 657's table: a run of entries, each of a first byte with its high bit set.
struct LineTable {
  const std::vector<uint8_t> &bytes;
  size_t at = 0;

  unsigned variable() {
    unsigned value = 0, shift = 0;
    while (at < bytes.size()) {
      uint8_t byte = bytes[at++];
      value |= unsigned(byte & 63) << shift;
      if (!(byte & 64) || (shift += 6) > 24)
        break;
    }
    return value;
  }
  int signedVariable() {
    unsigned value = variable();
    return value & 1 ? -int(value >> 1) : int(value >> 1);
  }
  void skipEntry() {
    while (at < bytes.size() && !(bytes[at] & 128))
      ++at;
  }
};

uint32_t search(const std::vector<uint8_t> &bytes, int line, uint64_t instruction) {
  enum { OneLine = 10, NoColumns = 13, Long = 14, NoLine = 15 };
  LineTable table{bytes};
  uint64_t end = 0;
  while (table.at < bytes.size()) {
    uint8_t first = bytes[table.at++];
    unsigned kind = first >> 3 & 15;
    end += (first & 7) + 1;
    if (kind >= OneLine && kind < NoColumns)
      line += int(kind) - OneLine;
    else if (kind == NoColumns || kind == Long)
      line += table.signedVariable();
    if (instruction < end)
      return kind == NoLine || line < 0 ? 0 : uint32_t(line);
    table.skipEntry();
  }
  return 0;
}

/// Of 3.9 and 3.10: pairs of how many bytes of code, and how many lines.
uint32_t searchPairs(const std::vector<uint8_t> &bytes, int line, uint64_t instruction,
                     PythonLayout::Age age) {
  constexpr int8_t NoLine = -128;
  const uint64_t wanted = 2 * instruction;
  uint64_t at = 0;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    auto lines = int8_t(bytes[i + 1]);
    at += bytes[i];
    if (age == PythonLayout::Bytes && at > wanted)
      break;
    bool isNone = age == PythonLayout::Ranges && lines == NoLine;
    line += isNone ? 0 : lines;
    if (age == PythonLayout::Ranges && at > wanted)
      return isNone || line < 0 ? 0 : uint32_t(line);
  }
  return age == PythonLayout::Bytes && line > 0 ? uint32_t(line) : 0;
}

} // namespace

/// Where a sandbox forbids process_vm_readv: the kernel copies into a pipe, and says what it
/// cannot.
static bool readThroughPipe(uint64_t address, char *to, size_t bytes) {
  constexpr size_t AtOnce = 4096; // fits into any pipe
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  bool done = true;
  for (size_t at = 0; done && at < bytes; at += AtOnce) {
    auto part = ssize_t(std::min(AtOnce, bytes - at));
    done = write(ends[1], reinterpret_cast<const void *>(address + at), size_t(part)) == part &&
           read(ends[0], to + at, size_t(part)) == part;
  }
  close(ends[0]);
  close(ends[1]);
  return done;
}

bool readSafely(uint64_t address, void *to, size_t bytes) {
  iovec local = {to, bytes}, remote = {reinterpret_cast<void *>(address), bytes};
  int saved = errno;
  bool done = readThroughKernel(local, &remote) == ssize_t(bytes);
  if (!done && errno != EFAULT)
    done = readThroughPipe(address, static_cast<char *>(to), bytes);
  errno = saved; // the program's
  return done;
}

std::string textOf(const PythonLayout &layout, uint64_t object) {
  uint64_t length = 0;
  uint32_t state = 0;
  if (!object || !readSafely(object + layout.length, length) ||
      !readSafely(object + layout.stringState, state) || length > LongestText)
    return "";
  state >>= layout.kindBit;
  unsigned kind = state & 7;
  bool compact = state >> 3 & 1, ascii = state >> 4 & 1;
  if (!compact || (kind != 1 && kind != 2 && kind != 4))
    return "";
  std::vector<uint8_t> raw(size_t(length) * kind);
  if (!raw.empty() &&
      !readSafely(object + (ascii ? layout.asciiText : layout.wideText), raw.data(), raw.size()))
    return "";
  std::string text;
  for (size_t i = 0; i < raw.size(); i += kind) {
    uint32_t c = 0;
    std::memcpy(&c, &raw[i], kind);
    appendUtf8(text, c);
  }
  return text;
}

uint32_t lineOf(const PythonLayout &layout, uint64_t code, uint64_t instruction) {
  int first = 0;
  uint64_t table = 0, length = 0;
  if (!readSafely(code + layout.firstLine, first) || !readSafely(code + layout.lineTable, table) ||
      !readSafely(table + layout.length, length) || length > LongestTable)
    return 0;
  std::vector<uint8_t> bytes(length);
  bool isOneLine = length == 0 && layout.age == PythonLayout::Bytes; // 3.9 has no table then
  if (!isOneLine &&
      (length == 0 || !readSafely(table + layout.bytesText, bytes.data(), bytes.size())))
    return 0;
  if (layout.age != PythonLayout::Modern)
    return searchPairs(bytes, first, instruction, layout.age);
  return search(bytes, first, instruction);
}

} // namespace gpuinstr::attach
