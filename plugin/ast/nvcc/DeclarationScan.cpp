// Declarations of a source that nobody parses.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/DeclarationScan.h"

#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr llvm::StringLiteral Keywords[] = {"alignas",
                                            "auto",
                                            "bool",
                                            "char",
                                            "class",
                                            "const",
                                            "constexpr",
                                            "consteval",
                                            "decltype",
                                            "default",
                                            "delete",
                                            "double",
                                            "enum",
                                            "explicit",
                                            "extern",
                                            "false",
                                            "final",
                                            "float",
                                            "friend",
                                            "if",
                                            "inline",
                                            "int",
                                            "long",
                                            "mutable",
                                            "namespace",
                                            "noexcept",
                                            "nullptr",
                                            "override",
                                            "private",
                                            "protected",
                                            "public",
                                            "requires",
                                            "return",
                                            "short",
                                            "signed",
                                            "sizeof",
                                            "static",
                                            "static_assert",
                                            "struct",
                                            "template",
                                            "this",
                                            "true",
                                            "typedef",
                                            "typename",
                                            "union",
                                            "unsigned",
                                            "using",
                                            "virtual",
                                            "void",
                                            "volatile",
                                            "__device__",
                                            "__global__",
                                            "__host__",
                                            "__constant__",
                                            "__shared__",
                                            "__managed__",
                                            "__forceinline__",
                                            "__noinline__",
                                            "__restrict__",
                                            "__launch_bounds__",
                                            "__align__",
                                            "__attribute__",
                                            "__inline__"};

class Scan {
public:
  explicit Scan(llvm::function_ref<void(const Declaration &)> Found) : Found(Found), Scopes(1) {}

  void line(StringRef Text, unsigned Number);
  bool finish() {
    end();
    // Conditionals that open a brace twice, macros that hold one: who knows what was a body.
    return !Body && !Paren && Scopes.size() == 1;
  }

private:
  /// One declaration at a time.
  struct Run : Declaration {
    bool IsScope = false, HasParen = false, IsEnum = false;
  };

  bool isOutside() const { return !Body && !Paren; }
  void word(StringRef Word);
  void punctuation(char C);
  void openBrace();
  void end();

  llvm::function_ref<void(const Declaration &)> Found;
  std::vector<Run> Scopes; ///< of the braces around, the file itself first
  Run Now;
  unsigned Paren = 0, Body = 0; ///< depth of parentheses; of braces of a function or initialiser
  unsigned Bounds = 0;          ///< depth within the parentheses of __launch_bounds__, nobody's
  StringRef Last;               ///< identifier just before
};

void Scan::end() {
  if (Now.First) {
    Declaration D = Now;
    // A class depends on its members.
    for (const Run &Around : Scopes)
      llvm::append_range(D.Declared, Around.Declared);
    if (!D.Declared.empty())
      Found(D);
  }
  Now = Run();
  Last = "";
}

void Scan::word(StringRef Word) {
  if (Bounds && Paren >= Bounds)
    return;
  Bounds = Word == "__launch_bounds__" ? Paren + 1 : 0;
  Now.Names.push_back(Word);
  if (isOutside()) {
    Now.IsEnum |= Word == "enum";
    Now.IsScope |= Word == "namespace" || Word == "class" || Word == "struct" || Word == "union" ||
                   Word == "enum" || Word == "extern";
    if (Word == "operator" || (Word == "namespace" && Last == "using"))
      Now.Declared.push_back(Word == "operator" ? "operator" : "using");
  }
  const bool IsName = !llvm::is_contained(Keywords, Word) && !isDigit(Word[0]);
  Last = IsName || Word == "using" ? Word : "";
}

void Scan::openBrace() {
  if (!isOutside() || !Now.IsScope || (Now.HasParen && !Now.IsEnum)) {
    ++Body;
    return;
  }
  Run Scope = Now;
  const bool Space =
      llvm::is_contained(Now.Names, "namespace") || llvm::is_contained(Now.Names, "extern");
  end();
  if (Space)
    Scope.Declared.clear();
  Scopes.push_back(std::move(Scope));
}

void Scan::punctuation(char C) {
  if (isOutside() && !Last.empty() && Last != "using" && StringRef("=(<[{;,:}").contains(C))
    Now.Declared.push_back(Last);
  Last = "";
  if (C != '(' && Paren < Bounds)
    Bounds = 0;
  if (C == '(') {
    ++Paren;
    Now.HasParen = true;
  } else if (C == ')') {
    Paren -= Paren > 0;
    Bounds = Paren < Bounds ? 0 : Bounds;
  } else if (C == '{') {
    openBrace();
  } else if (C == '}') {
    if (Body) {
      --Body;
    } else if (Scopes.size() > 1) {
      end();
      Scopes.pop_back();
    }
  }
  const bool Enumerator = C == ',' && Scopes.back().IsEnum;
  if (isOutside() && (C == ';' || C == '}' || Enumerator))
    end();
}

void Scan::line(StringRef Text, unsigned Number) {
  for (std::size_t I = 0; I < Text.size();) {
    const char C = Text[I];
    if (isWhitespace(C)) {
      ++I;
      continue;
    }
    if (!Now.First)
      Now.First = Number;
    Now.Last = Number;
    if (C == '"' || (C == '\'' && !(I && isAsciiIdentifierContinue(Text[I - 1])))) { // a literal
      std::size_t End = I + 1;
      while (End < Text.size() && Text[End] != C)
        End += Text[End] == '\\' ? 2 : 1;
      I = End + 1;
    } else if (isAsciiIdentifierContinue(C)) {
      StringRef Word =
          Text.substr(I).take_while([](char X) { return isAsciiIdentifierContinue(X); });
      I += Word.size();
      word(Word);
    } else {
      ++I;
      punctuation(C);
    }
  }
}

} // namespace

bool scanDeclarations(llvm::ArrayRef<StringRef> Lines,
                      llvm::function_ref<void(const Declaration &)> Found) {
  Scan S(Found);
  bool Continued = false;
  for (std::size_t I = 0; I < Lines.size(); ++I) {
    const bool Directive = Continued || Lines[I].ltrim().starts_with("#");
    Continued = Directive && Lines[I].rtrim().ends_with("\\");
    if (!Directive)
      S.line(Lines[I], unsigned(I + 1));
  }
  return S.finish();
}

} // namespace gpuinstr
