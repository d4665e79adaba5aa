// Where Python keeps what a line needs, by version.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonLayout.h"
#include "attach/python/PythonReads.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpuinstr::attach {

namespace {

constexpr PythonLayout Layouts[] = {
    {9, -1, 24, 32, 24, 104, 0, 40, 104, 112, 120, 0, 48, 72, PythonLayout::Bytes},
    {10, -1, 24, 32, 24, 96, 0, 40, 104, 112, 120, 0, 48, 72, PythonLayout::Ranges},
    {11, 56, 8, 32, 48, 56, 69, 72, 112, 128, 136, 184, 48, 72},
    {12, 56, 0, 0, 8, 56, 70, 68, 112, 128, 136, 192, 40, 56},
};

/// From 3.13 on a build says itself how it is laid out, in _Py_DebugOffsets at the beginning of
/// _PyRuntime: words, in sections that grow from version to version. Where ours begin.
struct Sections {
  unsigned minor, currentFrame, frame, code, bytes, string;
  bool triedFreeThreaded;
};
constexpr Sections Said[] = {{13, 23, 28, 34, 64, 67, true},
                             {14, 26, 31, 39, 74, 77, true},
                             {15, 26, 39, 47, 86, 89, false}};
constexpr unsigned WordsRead = 96;
constexpr uint64_t Farthest = 4096; ///< no member of a struct that matters lies that far

/// Words of a section, in the order in which they are said.
enum FrameWord { FramePrevious = 1, FrameCode, FrameInstruction, FrameOwner = 5, FrameCopy = 7 };
enum CodeWord {
  CodeFile = 1,
  CodeQualName = 3,
  CodeLines,
  CodeFirstLine,
  CodeFirst = 9,
  CodeCopies
};
enum BytesWord { BytesLength = 1, BytesText };
enum StringWord { StringState = 1, StringLength, StringAscii };

struct SaidOffsets {
  uint64_t words[WordsRead];
  bool inRange = true;

  unsigned at(unsigned section, unsigned word) {
    inRange = inRange && words[section + word] < Farthest;
    return unsigned(words[section + word]);
  }
};

/// A number as Py_Version has it, of a release.
uint64_t versionNumber(unsigned minor, unsigned micro) {
  constexpr uint64_t Major = 3, Release = 0xf0;
  return Major << 24 | minor << 16 | micro << 8 | Release;
}

std::optional<PythonLayout> layoutSaid(const Sections &s, unsigned micro, const void *runtime) {
  SaidOffsets said;
  if (!runtime || !readSafely(reinterpret_cast<uint64_t>(runtime), said.words) ||
      std::memcmp(said.words, "xdebugpy", 8) != 0 ||
      said.words[1] != versionNumber(s.minor, micro) || said.words[2] > s.triedFreeThreaded)
    return std::nullopt;
  const bool isFreeThreaded = said.words[2] == 1;
  constexpr unsigned FirstWithCopies = 14, Utf8Words = 16;
  PythonLayout to = {};
  to.minor = s.minor;
  to.frameHolder = -1;
  to.current = said.at(s.currentFrame, 0);
  to.previous = said.at(s.frame, FramePrevious);
  to.code = said.at(s.frame, FrameCode);
  to.instruction = said.at(s.frame, FrameInstruction);
  to.owner = said.at(s.frame, FrameOwner);
  to.fileName = said.at(s.code, CodeFile);
  to.qualName = said.at(s.code, CodeQualName);
  to.lineTable = said.at(s.code, CodeLines);
  to.firstLine = said.at(s.code, CodeFirstLine);
  to.firstInstruction = said.at(s.code, CodeFirst);
  to.length = said.at(s.bytes, BytesLength);
  to.bytesText = said.at(s.bytes, BytesText);
  to.stringState = said.at(s.string, StringState);
  to.asciiText = said.at(s.string, StringAscii);
  to.wideText = to.asciiText + Utf8Words;
  to.age = PythonLayout::Modern;
  if (isFreeThreaded && s.minor >= FirstWithCopies) {
    to.kindBit = 8; // a byte that is written atomically lies before it
    to.copies = said.at(s.code, CodeCopies);
    to.copyIndex = said.at(s.frame, FrameCopy);
  }
  if (!said.inRange || said.at(s.string, StringLength) != to.length ||
      (to.copies == 0) != (to.copyIndex == 0))
    return std::nullopt;
  return to;
}

template <class Row, size_t N> const Row *rowOf(const Row (&rows)[N], unsigned minor) {
  auto found = std::find_if(rows, rows + N, [&](const Row &row) { return row.minor == minor; });
  return found == rows + N ? nullptr : found;
}

} // namespace

std::optional<PythonLayout> layoutOf(const char *text, const void *runtime) {
  unsigned minor = 0, micro = 0;
  char behind = 0; // of a release; a letter stands there else
  if (std::sscanf(text, "3.%u.%u%c", &minor, &micro, &behind) != 3 || behind != ' ')
    return std::nullopt;
  if (const PythonLayout *known = rowOf(Layouts, minor))
    return *known;
  const Sections *sections = rowOf(Said, minor);
  return sections ? layoutSaid(*sections, micro, runtime) : std::nullopt;
}

} // namespace gpuinstr::attach
