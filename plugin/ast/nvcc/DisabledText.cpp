// What cudafe++ took out of the host's code: bodies of device functions, inside `#if 0`.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/DisabledText.h"

using llvm::StringRef;

namespace gpuinstr {

std::optional<DisabledText> findDisabledText(StringRef File, unsigned End, bool HasBody) {
  constexpr StringRef Blanks = " \t\r\n", Open = "#if 0";
  constexpr std::size_t LongestTail = 400; ///< exception specification and attributes
  std::size_t At = End;
  if (!HasBody) {
    const StringRef Tail = File.substr(At, LongestTail);
    const std::size_t Semicolon = Tail.find(';');
    if (Semicolon == StringRef::npos ||
        Tail.take_front(Semicolon).find_first_of("{}#") != StringRef::npos)
      return std::nullopt;
    At += Semicolon + 1;
  }
  At = File.find_first_not_of(Blanks, At);
  if (At == StringRef::npos || !File.substr(At).starts_with(Open) || At == 0 ||
      File[At - 1] != '\n')
    return std::nullopt;
  DisabledText Text;
  Text.Begin = At + Open.size();
  unsigned Depth = 1;
  for (std::size_t Line = File.find('\n', At); Line != StringRef::npos;
       Line = File.find('\n', Line + 1)) {
    const StringRef Rest = File.substr(Line + 1);
    if (Rest.starts_with("#if")) {
      ++Depth;
      Text.Nested = true;
    } else if (Rest.starts_with("#endif") && --Depth == 0) {
      Text.End = Line + 1;
      return Text;
    }
  }
  return std::nullopt;
}

} // namespace gpuinstr
