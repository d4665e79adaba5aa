// Conditionals whose branches do the same.
// SPDX-License-Identifier: Apache-2.0
#include "ast/conditions/AlikeBranches.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <vector>

using namespace clang;
using llvm::ArrayRef;
using llvm::StringRef;

namespace gpuinstr {
namespace {

using Words = std::vector<StringRef>;
constexpr StringRef LineEnd = "\n"; ///< of a directive

bool isName(StringRef Word) { return !Word.empty() && isAsciiIdentifierStart(Word.front()); }

/// What closes the bracket at a place; the size if nothing does.
std::size_t closing(ArrayRef<StringRef> Code, std::size_t At) {
  int Depth = 0;
  for (std::size_t I = At; I < Code.size(); ++I) {
    Depth += (Code[I] == "(" || Code[I] == "[") - (Code[I] == ")" || Code[I] == "]");
    if (Depth == 0)
      return I;
  }
  return Code.size();
}

/// Without parentheses around all of it.
ArrayRef<StringRef> bare(ArrayRef<StringRef> Code) {
  while (Code.size() > 2 && Code.front() == "(" && closing(Code, 0) == Code.size() - 1)
    Code = Code.drop_front().drop_back();
  return Code;
}

bool hasOnly(ArrayRef<StringRef> Code, llvm::function_ref<bool(StringRef)> Allowed) {
  for (std::size_t I = 0; I < Code.size(); ++I) {
    if (Code[I] == "(" || Code[I] == "[")
      I = closing(Code, I);
    else if (!Allowed(Code[I]))
      return false;
  }
  return true;
}

/// `a[i].b`: binds closer than any operator.
bool isPostfix(ArrayRef<StringRef> Code) {
  return hasOnly(Code, [](StringRef W) { return isName(W) || W == "." || W == "->" || W == "::"; });
}
bool isSum(ArrayRef<StringRef> Code) {
  return !Code.empty() && hasOnly(Code, [](StringRef W) {
    return isName(W) || isDigit(W.front()) || W == "+" || W == "-" || W == "*" || W == "/" ||
           W == "%" || W == "." || W == "->" || W == "::";
  });
}

/// `a[n]` for `a + n`; nothing for another address.
std::optional<Words> element(ArrayRef<StringRef> Address) {
  const std::size_t First = !Address.empty() && Address[0] == "(" ? closing(Address, 0) : 0;
  if (First + 1 >= Address.size() || Address[First + 1] != "+")
    return std::nullopt;
  const ArrayRef<StringRef> Base = bare(Address.take_front(First + 1));
  const ArrayRef<StringRef> Index = bare(Address.drop_front(First + 2));
  if (Base.size() != 1 || !isName(Base[0]) || !isSum(Index))
    return std::nullopt;
  Words Out = {Base[0], "["};
  Out.insert(Out.end(), Index.begin(), Index.end());
  Out.push_back("]");
  return Out;
}

/// What `*(address)` reads. In a macro its parameters may be anything, so their parentheses count.
Words loaded(ArrayRef<StringRef> Address, bool InMacro) {
  if (auto Element = element(Address))
    return *Element;
  if (Address.size() > 1 && Address[0] == "&") {
    const ArrayRef<StringRef> Object = Address.drop_front();
    if (isPostfix(Object) && (!InMacro || Object.size() > 1))
      return bare(Object).vec();
  }
  Words Out = {"*", "("};
  const ArrayRef<StringRef> Inner = bare(Address);
  Out.insert(Out.end(), Inner.begin(), Inner.end());
  Out.push_back(")");
  return Out;
}

/// All loads spelled in one way.
Words normalised(ArrayRef<StringRef> Code, bool InMacro) {
  Words Out;
  for (std::size_t I = 0; I < Code.size(); ++I) {
    const StringRef Before = Out.empty() ? StringRef() : Out.back();
    const bool IsOperand = isName(Before) ? Before != "return" : Before == ")" || Before == "]";
    const std::size_t Open = I + 1;
    const bool Opens = Open < Code.size() && Code[Open] == "(";
    const std::size_t Close = Opens ? closing(Code, Open) : Code.size();
    const StringRef Behind = Close + 1 < Code.size() ? Code[Close + 1] : StringRef();
    const bool IsLoad =
        isLoadFunction(Code[I]) && Before != "." && Before != "->" && Before != "::" && !IsOperand;
    const bool IsPointer = Code[I] == "*" && !IsOperand && Behind != "." && Behind != "->" &&
                           Behind != "[" && Behind != "(" && Behind != "++" && Behind != "--";
    if (Opens && Close < Code.size() && (IsLoad || IsPointer)) {
      const Words Inner = normalised(Code.slice(Open + 1, Close - Open - 1), InMacro);
      const Words Load = loaded(Inner, InMacro);
      Out.insert(Out.end(), Load.begin(), Load.end());
      I = Close;
    } else if (Code[I] == "*" && !IsOperand && !InMacro && Open + 1 < Code.size() &&
               isName(Code[Open]) && llvm::is_contained({";", ")", ","}, Code[Open + 1])) {
      const Words Load = loaded(Code.slice(Open, 1), InMacro); // `*p;`
      Out.insert(Out.end(), Load.begin(), Load.end());
      I = Open;
    } else if (Code[I] == "[" && closing(Code, I) < Code.size()) {
      const std::size_t End = closing(Code, I);
      const Words Index = normalised(bare(Code.slice(I + 1, End - I - 1)), InMacro);
      if (Out.size() > 2 && Out.back() == ")" && isName(Out[Out.size() - 2]) &&
          Out[Out.size() - 3] == "(" && (Out.size() == 3 || !isName(Out[Out.size() - 4]))) {
        Out.pop_back(); // `(a)[n]`
        Out.erase(Out.end() - 2);
      }
      Out.push_back("[");
      Out.insert(Out.end(), Index.begin(), Index.end());
      Out.push_back("]");
      I = End;
    } else {
      Out.push_back(Code[I]);
    }
  }
  return Out;
}

/// Line by line, where there are directives.
Words ofBranch(ArrayRef<StringRef> Code) {
  Words Out;
  while (!Code.empty()) {
    const bool IsMacro = Code[0] == "#";
    const auto *const End = llvm::find(Code, IsMacro ? LineEnd : StringRef("#"));
    ArrayRef<StringRef> Line = Code.take_front(End - Code.begin());
    Code = Code.drop_front(Line.size());
    if (IsMacro) {
      Code = Code.drop_front(Code.empty() ? 0 : 1);
      std::size_t Head = 3; // `# define NAME`, its parameters
      if (Line.size() > 3 && Line[3] == "(")
        Head = std::min(closing(Line, 3) + 1, Line.size());
      Out.insert(Out.end(), Line.begin(), Line.begin() + std::min(Head, Line.size()));
      Line = bare(Line.drop_front(std::min(Head, Line.size())));
    }
    const Words Plain = normalised(Line, IsMacro);
    const ArrayRef<StringRef> Inner = IsMacro ? bare(Plain) : ArrayRef<StringRef>(Plain);
    Out.insert(Out.end(), Inner.begin(), Inner.end());
    if (IsMacro)
      Out.push_back(LineEnd);
  }
  return Out;
}

/// Each branch's tokens. Nothing: there is no `else`, or something that is not looked at.
std::optional<std::vector<Words>> branches(StringRef Text, unsigned Offset) {
  constexpr std::size_t MaxWords = 200;
  LangOptions Lang;
  Lang.LineComment = Lang.CPlusPlus = Lang.CPlusPlus11 = true;
  Lexer Raw(SourceLocation(), Lang, Text.begin(), Text.begin() + Offset, Text.end());
  std::vector<Words> Found(1);
  Token T;
  auto Next = [&] {
    Raw.LexFromRawLexer(T);
    return T.isNot(tok::eof) && !T.needsCleaning();
  };
  auto Spelling = [&] {
    return Text.substr(Raw.getCurrentBufferOffset() - T.getLength(), T.getLength());
  };
  Next();                                                  // `if` itself is no start of a line
  bool Skips = true, InDirective = false, HasElse = false; // the rest of the line
  while (Next()) {
    if (T.isAtStartOfLine()) {
      if (InDirective)
        Found.back().push_back(LineEnd);
      InDirective = Skips = false;
    }
    if (T.is(tok::hash) && T.isAtStartOfLine()) {
      if (!Next() || T.isAtStartOfLine())
        return std::nullopt;
      const StringRef Word = Spelling();
      if (Word == "endif")
        return HasElse ? std::optional(std::move(Found)) : std::nullopt;
      if (Word == "else" || Word.starts_with("elif")) {
        HasElse |= Word == "else";
        Found.emplace_back();
        Skips = true;
        continue;
      }
      if (Word != "define")
        return std::nullopt;
      InDirective = true;
      Found.back().push_back("#");
    }
    if (Skips)
      continue;
    const Words &Now = Found.back();
    if (T.is(tok::l_paren) && T.hasLeadingSpace() && Now.size() > 2 && Now[Now.size() - 3] == "#")
      Found.back().push_back(" "); // no parameters
    Found.back().push_back(Spelling());
    if (Found.back().size() > MaxWords || Found.back().back() == "__LINE__" ||
        Found.back().back() == "__COUNTER__")
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

bool isLoadFunction(StringRef Name) {
  constexpr StringRef Loads[] = {"__ldg", "__ldcs", "__ldca", "__ldcg", "__ldlu", "__ldcv"};
  return llvm::is_contained(Loads, Name);
}

bool areBranchesAlike(StringRef Text, unsigned Offset) {
  const auto Found = branches(Text, Offset);
  if (!Found)
    return false;
  const Words First = ofBranch(Found->front());
  return llvm::all_of(*Found, [&](const Words &Other) { return ofBranch(Other) == First; });
}

} // namespace gpuinstr
