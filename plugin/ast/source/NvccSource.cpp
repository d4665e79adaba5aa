// Under nvcc, Clang parses what cudafe++ rewrote: finds each call in the user's own file.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/NvccSource.h"

#include "ast/source/SourceText.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/Twine.h"

using llvm::ArrayRef;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr unsigned MaxLines = 60; ///< of one statement

/// A cursor over the lines of a statement that steps over comments, strings and characters.
class Cursor {
public:
  Cursor(ArrayRef<StringRef> Lines, unsigned First) : Lines(Lines), First(First), Line(First - 1) {
    skipIgnored();
  }
  bool atEnd() const { return Line >= Lines.size() || Line >= First - 1 + MaxLines; }
  unsigned line() const { return Line + 1; }
  unsigned column() const { return Offset + 1; }
  char peek(unsigned Ahead = 0) const {
    return !atEnd() && Offset + Ahead < Lines[Line].size() ? Lines[Line][Offset + Ahead] : '\n';
  }
  StringRef rest() const { return atEnd() ? StringRef() : Lines[Line].substr(Offset); }

  /// Steps over N characters, then over what is not code; appends what it passes to Text, a blank
  /// for a comment or the end of a line.
  void advance(unsigned N, std::string *Text = nullptr) {
    if (Text)
      Text->append(rest().take_front(N));
    Offset += N;
    skipIgnored(Text);
  }
  /// A string or character literal as a whole, else one character.
  void step(std::string *Text = nullptr) {
    const char Quote = peek();
    unsigned Length = 1;
    if (Quote == '"' || (Quote == '\'' && !isDigitSeparator())) {
      while (Offset + Length < Lines[Line].size() && peek(Length) != Quote)
        Length += peek(Length) == '\\' ? 2 : 1;
      ++Length;
    }
    advance(std::min<std::size_t>(Length, rest().size()), Text);
  }

private:
  bool isDigitSeparator() const {
    return Offset && clang::isAsciiIdentifierContinue(Lines[Line][Offset - 1]) &&
           clang::isAsciiIdentifierContinue(peek(1));
  }
  void nextLine() {
    ++Line;
    Offset = 0;
  }
  void skipIgnored(std::string *Text = nullptr) {
    bool Blank = false;
    while (!atEnd()) {
      StringRef Here = rest();
      if (Here.empty() || Here.starts_with("//")) {
        nextLine();
      } else if (Here.starts_with("/*")) {
        Offset += 2;
        while (!atEnd() && !rest().contains("*/"))
          nextLine();
        if (!atEnd())
          Offset += rest().find("*/") + 2;
      } else {
        break;
      }
      Blank = true;
    }
    if (Blank && Text)
      *Text += ' ';
  }

  ArrayRef<StringRef> Lines;
  unsigned First, Line, Offset = 0;
};

void skipBlanks(Cursor &C) {
  while (!C.atEnd() && clang::isWhitespace(C.peek()))
    C.step();
}

/// Steps over `<...>` with balanced brackets; false when it is no template argument list.
bool skipTemplateArguments(Cursor &C) {
  int Depth = 0;
  for (; !C.atEnd(); C.step()) {
    const char Here = C.peek();
    if (Here == '<' || Here == '(')
      ++Depth;
    if (Here == ';' || Here == '{')
      return false;
    if ((Here == '>' || Here == ')') && --Depth == 0) {
      C.step();
      return true;
    }
  }
  return false;
}

/// `(a, b)` at the cursor: its arguments, white space folded.
bool readArguments(Cursor &C, std::vector<std::string> &Out) {
  if (C.peek() != '(')
    return false;
  C.step();
  std::string Text;
  int Depth = 0;
  for (; !C.atEnd();) {
    const char Here = C.peek();
    if (Depth == 0 && (Here == ',' || Here == ')')) {
      StringRef Whole = StringRef(Text).rtrim();
      Whole.consume_back("..."); // each element is called what the pack is
      std::string Argument = folded(Whole);
      if (!Argument.empty() || Here == ',' || !Out.empty())
        Out.push_back(std::move(Argument));
      Text.clear();
      C.step();
      if (Here == ')')
        return true;
      continue;
    }
    Depth += Here == '(' || Here == '[' || Here == '{';
    Depth -= Here == ')' || Here == ']' || Here == '}';
    C.step(&Text);
  }
  return false;
}

/// The rest of a call after its name.
bool readCall(Cursor C, bool Launch, std::vector<std::string> &Arguments) {
  skipBlanks(C);
  if (C.peek() == '<' && !C.rest().starts_with("<<<")) {
    if (!skipTemplateArguments(C))
      return false;
    skipBlanks(C);
  }
  if (C.rest().starts_with("<<<") != Launch)
    return false;
  if (Launch) {
    int Depth = 0;
    C.advance(3);
    while (!C.atEnd() && !(Depth == 0 && C.rest().starts_with(">>>"))) {
      Depth += C.peek() == '(';
      Depth -= C.peek() == ')';
      C.step();
    }
    C.advance(std::min<std::size_t>(3, C.rest().size()));
    skipBlanks(C);
  }
  return readArguments(C, Arguments);
}

/// `upload` of `Buffer<ns::Cell>::upload<float>`.
StringRef unqualified(StringRef Callee) {
  std::size_t Start = 0;
  int Depth = 0;
  for (std::size_t I = 0; I < Callee.size(); ++I) {
    Depth += Callee[I] == '<';
    Depth -= Callee[I] == '>' && Depth;
    if (Depth == 0 && Callee.substr(I).starts_with("::"))
      Start = I + 2;
  }
  return Callee.substr(Start).split('<').first;
}

/// The same for `(&(ptrs[2]))` and `&ptrs[2]`.
std::string skeleton(StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (C != '(' && C != ')' && !clang::isWhitespace(C))
      Out += C;
  return Out;
}

} // namespace

std::vector<SourceCall> findSourceCalls(ArrayRef<StringRef> Lines, unsigned First, StringRef Name,
                                        bool Launch) {
  std::vector<SourceCall> Found;
  if (!First || First > Lines.size() || Name.empty())
    return Found;
  auto IsName = [](char C) { return clang::isAsciiIdentifierContinue(C); };
  int Depth = 0;
  bool Complete = false; // the last statement so far has ended
  for (Cursor C(Lines, First); !C.atEnd();) {
    const char Here = C.peek();
    // Every statement on the first line counts, and the rest of its last one.
    if (C.line() > First && Complete)
      break;
    if (IsName(Here)) {
      StringRef Word = C.rest().take_while(IsName);
      SourceCall Call;
      Call.Line = C.line();
      Call.Column = C.column();
      C.advance(Word.size());
      if (Word == Name && readCall(C, Launch, Call.Arguments))
        Found.push_back(std::move(Call));
      Complete = false;
      continue;
    }
    Depth += Here == '(';
    Depth -= Here == ')';
    if (!clang::isWhitespace(Here))
      Complete = (Here == ';' && Depth <= 0) || Here == '{' || Here == '}';
    C.step();
  }
  return Found;
}

std::optional<SourceCall> NvccSource::take(ArrayRef<StringRef> Lines, StringRef File,
                                           unsigned First, StringRef Callee, bool Launch,
                                           ArrayRef<std::string> Respelled) {
  const StringRef Name = unqualified(Callee);
  std::optional<SourceCall> Best;
  unsigned BestScore = 0;
  std::string BestKey;
  for (SourceCall &Call : findSourceCalls(Lines, First, Name, Launch)) {
    std::string Key =
        (llvm::Twine(File) + ":" + llvm::Twine(Call.Line) + ":" + llvm::Twine(Call.Column)).str();
    if (Taken.count(Key))
      continue;
    unsigned Score = 1 + 100 * (Call.Arguments.size() >= Respelled.size());
    for (std::size_t I = 0; I < std::min(Respelled.size(), Call.Arguments.size()); ++I)
      Score += skeleton(Respelled[I]) == skeleton(Call.Arguments[I]);
    if (Score <= BestScore)
      continue;
    BestScore = Score;
    BestKey = std::move(Key);
    Best = std::move(Call);
  }
  if (Best)
    Taken.insert(BestKey);
  return Best;
}

} // namespace gpuinstr
