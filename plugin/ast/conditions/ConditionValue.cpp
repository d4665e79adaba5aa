// What a preprocessor's condition comes to for the host and for the device.
// SPDX-License-Identifier: Apache-2.0
#include "ast/conditions/ConditionValue.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/OperatorPrecedence.h"
#include "clang/Basic/TokenKinds.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// Beyond these, a number is not looked at: what overflows is nobody's business.
constexpr int64_t Largest = int64_t(1) << 31;
/// Of architectures that nobody named.
constexpr int64_t OldestArch = 200, NewestArch = 100000;

/// One of the numbers from Low to High.
struct Range {
  int64_t Low = 0, High = 0;
  bool isOne() const { return Low == High; }
  std::optional<bool> truth() const {
    if (Low > 0 || High < 0)
      return true;
    return isOne() ? std::optional(false) : std::nullopt;
  }
};
constexpr Range Either = {0, 1};

Range rangeOf(std::optional<bool> Truth) {
  return Truth ? Range{int64_t(*Truth), int64_t(*Truth)} : Either;
}

struct Item {
  tok::TokenKind Kind;
  Range Value; ///< of numbers
};

/// A directive's tokens for one side, with macros replaced and `defined` answered.
class Expansion {
public:
  Expansion(ConditionValue::Lookup Names, std::optional<Range> Arch) : Names(Names), Arch(Arch) {}

  /// False: something that nobody can tell.
  bool expand(StringRef Text);
  /// `ifdef A` and its like.
  std::optional<bool> isDefined(StringRef Text) const;
  std::vector<Item> Items;

private:
  struct Word {
    tok::TokenKind Kind;
    std::string Spelling;
  };
  static std::vector<Word> lex(StringRef Text);
  static std::optional<Range> number(StringRef Spelling);
  bool name(const std::vector<Word> &Words, std::size_t &At);
  bool defined(const std::vector<Word> &Words, std::size_t &At);
  std::optional<bool> isDefinedName(StringRef Name) const;

  ConditionValue::Lookup Names;
  std::optional<Range> Arch; ///< none for the host
  llvm::StringSet<> Open;    ///< macros that are being replaced
};

std::vector<Expansion::Word> Expansion::lex(StringRef Text) {
  LangOptions Lang;
  Lang.LineComment = Lang.CPlusPlus = Lang.CPlusPlus11 = true;
  const std::string Copy = Text.str(); // ends in a zero
  Lexer Raw(SourceLocation(), Lang, Copy.c_str(), Copy.c_str(), Copy.c_str() + Copy.size());
  std::vector<Word> Words;
  Token T;
  for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
    const std::size_t End = Raw.getCurrentBufferOffset();
    const tok::TokenKind Kind = T.needsCleaning() ? tok::unknown : T.getKind();
    Words.push_back({Kind, Copy.substr(End - T.getLength(), T.getLength())});
  }
  return Words;
}

std::optional<Range> Expansion::number(StringRef Spelling) {
  // An unsigned one makes the others unsigned.
  while (Spelling.consume_back("l") || Spelling.consume_back("L"))
    ;
  int64_t Value = 0;
  if (Spelling.starts_with_insensitive("0o") || Spelling.getAsInteger(0, Value) || Value < 0 ||
      Value >= Largest)
    return std::nullopt;
  return Range{Value, Value};
}

std::optional<bool> Expansion::isDefinedName(StringRef Name) const {
  const NameMeaning Meaning = Names(Name);
  if (Meaning.What == NameMeaning::Unknown)
    return std::nullopt;
  if (Name == "__CUDA_ARCH__")
    return Arch.has_value();
  return Meaning.What != NameMeaning::Undefined;
}

/// `defined A` or `defined(A)`, up to its last token.
bool Expansion::defined(const std::vector<Word> &Words, std::size_t &At) {
  auto Is = [&](std::size_t I, tok::TokenKind Kind) {
    return I < Words.size() && Words[I].Kind == Kind;
  };
  const bool Parenthesis = Is(At + 1, tok::l_paren);
  At += Parenthesis ? 2 : 1;
  if (!Is(At, tok::raw_identifier))
    return false;
  Items.push_back({tok::numeric_constant, rangeOf(isDefinedName(Words[At].Spelling))});
  return !Parenthesis || Is(++At, tok::r_paren);
}

bool Expansion::name(const std::vector<Word> &Words, std::size_t &At) {
  constexpr StringRef Operators[] = {"and",    "or",    "not",    "not_eq", "compl", "xor",
                                     "bitand", "bitor", "and_eq", "or_eq",  "xor_eq"};
  const StringRef Name = Words[At].Spelling;
  if (Name == "defined")
    return defined(Words, At);
  if (llvm::is_contained(Operators, Name) || Name.starts_with("__has_") ||
      Name.starts_with("__is_") || Name == "__VA_OPT__" || Name == "_Pragma")
    return false;
  const NameMeaning Meaning = Names(Name);
  if (Meaning.What == NameMeaning::Unknown || Meaning.What == NameMeaning::Opaque)
    return false;
  if (Name == "__CUDA_ARCH__") {
    Items.push_back({tok::numeric_constant, Arch.value_or(Range())});
    return true;
  }
  if (Meaning.What == NameMeaning::Undefined) {
    Items.push_back({tok::numeric_constant, rangeOf(Name == "true")});
    return true;
  }
  constexpr unsigned MaxDepth = 16;
  if (Open.size() > MaxDepth || !Open.insert(Name).second)
    return false;
  const bool Done = expand(Meaning.Text);
  Open.erase(Name);
  return Done;
}

bool Expansion::expand(StringRef Text) {
  const std::vector<Word> Words = lex(Text);
  for (std::size_t At = 0; At < Words.size(); ++At) {
    const Word &W = Words[At];
    if (W.Kind == tok::raw_identifier) {
      if (!name(Words, At))
        return false;
    } else if (W.Kind == tok::numeric_constant) {
      const std::optional<Range> Value = number(W.Spelling);
      if (!Value)
        return false;
      Items.push_back({W.Kind, *Value});
    } else if (tok::getPunctuatorSpelling(W.Kind) && W.Kind != tok::hash &&
               W.Kind != tok::hashhash) {
      Items.push_back({W.Kind, {}});
    } else {
      return false;
    }
  }
  return true;
}

std::optional<bool> Expansion::isDefined(StringRef Text) const {
  const std::vector<Word> Words = lex(Text);
  if (Words.size() != 1 || Words[0].Kind != tok::raw_identifier)
    return std::nullopt;
  return isDefinedName(Words[0].Spelling);
}

/// By precedence.
class Parse {
public:
  explicit Parse(const std::vector<Item> &Items) : Items(Items) {}
  std::optional<bool> run() {
    const Range Value = ternary();
    return Failed || At != Items.size() ? std::nullopt : Value.truth();
  }

private:
  bool take(tok::TokenKind Kind) {
    const bool Is = At < Items.size() && Items[At].Kind == Kind;
    At += Is;
    return Is;
  }
  Range fail() {
    Failed = true;
    return {};
  }
  Range ternary();
  Range binary(unsigned Least);
  Range unary();
  Range compute(tok::TokenKind Operator, Range A, Range B);

  const std::vector<Item> &Items;
  std::size_t At = 0;
  unsigned Depth = 0;
  bool Failed = false;
};

std::optional<bool> isLess(Range A, Range B) {
  if (A.High < B.Low)
    return true;
  return A.Low >= B.High ? std::optional(false) : std::nullopt;
}
std::optional<bool> isEqual(Range A, Range B) {
  if (A.High < B.Low || B.High < A.Low)
    return false;
  return A.isOne() && B.isOne() ? std::optional(true) : std::nullopt;
}
std::optional<bool> negated(std::optional<bool> Truth) {
  return Truth ? std::optional(!*Truth) : std::nullopt;
}
std::optional<bool> either(std::optional<bool> A, std::optional<bool> B) {
  if ((A && *A) || (B && *B))
    return true;
  return A && B ? std::optional(false) : std::nullopt;
}

Range Parse::compute(tok::TokenKind Operator, Range A, Range B) {
  switch (Operator) {
  case tok::pipepipe:
    return rangeOf(either(A.truth(), B.truth()));
  case tok::ampamp:
    return rangeOf(negated(either(negated(A.truth()), negated(B.truth()))));
  case tok::equalequal:
    return rangeOf(isEqual(A, B));
  case tok::exclaimequal:
    return rangeOf(negated(isEqual(A, B)));
  case tok::less:
    return rangeOf(isLess(A, B));
  case tok::greater:
    return rangeOf(isLess(B, A));
  case tok::lessequal:
    return rangeOf(negated(isLess(B, A)));
  case tok::greaterequal:
    return rangeOf(negated(isLess(A, B)));
  default:
    break;
  }
  if (!A.isOne() || !B.isOne())
    return fail();
  const int64_t X = A.Low, Y = B.Low;
  const bool Shifts = Operator == tok::lessless || Operator == tok::greatergreater;
  const bool Divides = Operator == tok::slash || Operator == tok::percent;
  if ((Shifts && (X < 0 || Y < 0 || Y > 31)) || (Divides && Y == 0))
    return fail();
  int64_t Z = 0;
  switch (Operator) {
  case tok::pipe:
    Z = X | Y;
    break;
  case tok::caret:
    Z = X ^ Y;
    break;
  case tok::amp:
    Z = X & Y;
    break;
  case tok::lessless:
    Z = X << Y;
    break;
  case tok::greatergreater:
    Z = X >> Y;
    break;
  case tok::plus:
    Z = X + Y;
    break;
  case tok::minus:
    Z = X - Y;
    break;
  case tok::star:
    Z = X * Y;
    break;
  case tok::slash:
    Z = X / Y;
    break;
  case tok::percent:
    Z = X % Y;
    break;
  default:
    return fail();
  }
  return Z <= -Largest || Z >= Largest ? fail() : Range{Z, Z};
}

Range Parse::unary() {
  constexpr unsigned MaxDepth = 64;
  if (At >= Items.size() || Depth > MaxDepth)
    return fail();
  const Item &Now = Items[At++];
  if (Now.Kind == tok::numeric_constant)
    return Now.Value;
  ++Depth;
  Range Value = Now.Kind == tok::l_paren ? ternary() : unary();
  --Depth;
  switch (Now.Kind) {
  case tok::l_paren:
    return take(tok::r_paren) ? Value : fail();
  case tok::exclaim:
    return rangeOf(negated(Value.truth()));
  case tok::minus:
    return {-Value.High, -Value.Low};
  case tok::plus:
    return Value;
  default:
    return fail();
  }
}

Range Parse::binary(unsigned Least) {
  Range Left = unary();
  while (!Failed && At < Items.size()) {
    const tok::TokenKind Operator = Items[At].Kind;
    const unsigned Rank = getBinOpPrecedence(Operator, true, true);
    if (Rank < Least)
      break;
    ++At;
    const Range Right = binary(Rank + 1);
    Left = compute(Operator, Left, Right);
  }
  return Left;
}

Range Parse::ternary() {
  const Range Condition = binary(prec::LogicalOr);
  if (Failed || !take(tok::question))
    return Condition;
  ++Depth;
  const Range Then = ternary();
  const Range Else = take(tok::colon) ? ternary() : fail();
  --Depth;
  if (const std::optional<bool> Truth = Condition.truth())
    return *Truth ? Then : Else;
  return {std::min(Then.Low, Else.Low), std::max(Then.High, Else.High)};
}

std::optional<bool> ofSide(StringRef Directive, ConditionValue::Lookup Names,
                           std::optional<Range> Arch) {
  const StringRef Word = Directive.take_while(llvm::isAlpha);
  const StringRef Rest = Directive.drop_front(Word.size());
  Expansion E(Names, Arch);
  if (Word == "ifdef" || Word == "elifdef")
    return E.isDefined(Rest);
  if (Word == "ifndef" || Word == "elifndef")
    return negated(E.isDefined(Rest));
  if ((Word != "if" && Word != "elif") || !E.expand(Rest))
    return std::nullopt;
  return Parse(E.Items).run();
}

} // namespace

ConditionValue::ConditionValue(const Preprocessor &PP) {
  const IdentifierInfo *List = PP.getIdentifierInfo("__CUDA_ARCH_LIST__");
  const MacroInfo *Macro = List ? PP.getMacroInfo(List) : nullptr;
  if (!Macro || !Macro->isObjectLike())
    return;
  for (const Token &T : Macro->tokens()) {
    unsigned Arch = 0;
    if (T.is(tok::comma))
      continue;
    if (T.isNot(tok::numeric_constant) || StringRef(PP.getSpelling(T)).getAsInteger(10, Arch) ||
        Arch < OldestArch) {
      Archs.clear();
      return;
    }
    Archs.push_back(Arch);
  }
}

std::optional<bool> ConditionValue::ofBoth(StringRef Directive, Lookup Names) const {
  const std::optional<bool> Host = ofSide(Directive, Names, std::nullopt);
  if (!Host)
    return std::nullopt;
  if (Archs.empty() && ofSide(Directive, Names, Range{OldestArch, NewestArch}) != Host)
    return std::nullopt;
  for (unsigned Arch : Archs)
    if (ofSide(Directive, Names, Range{int64_t(Arch), int64_t(Arch)}) != Host)
      return std::nullopt;
  return Host;
}

} // namespace gpuinstr
