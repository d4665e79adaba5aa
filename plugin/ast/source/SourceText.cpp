// The source as it was written: spelled arguments, mapped file names, ignore comments.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/SourceText.h"

#include "compat/ClangCompat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/FileManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr StringRef IgnoreMark = "gpuinstr-ignore:";

StringRef fileText(SourceRange Range, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange File =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Context.getLangOpts());
  return File.isValid() ? Lexer::getSourceText(File, SM, Context.getLangOpts()) : StringRef();
}

/// Prints what came from a macro's argument as it stands at the macro's use.
class MacroArguments : public PrinterHelper {
public:
  explicit MacroArguments(const ASTContext &Context) : Context(Context) {}
  bool handledStmt(Stmt *S, llvm::raw_ostream &OS) override {
    if (!isa<Expr>(S) || !S->getBeginLoc().isMacroID() || !S->getEndLoc().isMacroID())
      return false;
    std::string Text = folded(withoutComments(fileText(S->getSourceRange(), Context)));
    OS << Text;
    return !Text.empty();
  }

private:
  const ASTContext &Context;
};

} // namespace

std::string folded(StringRef Text) {
  std::string Out;
  for (char C : Text.trim()) {
    const bool Blank = C == ' ' || C == '\t' || C == '\n' || C == '\r' || C == '\f' || C == '\v';
    if (!Blank)
      Out += C;
    else if (Out.back() != ' ')
      Out += ' ';
  }
  return Out;
}

std::string withoutComments(StringRef Text) {
  std::string Out;
  for (std::size_t I = 0; I < Text.size();) {
    StringRef Rest = Text.substr(I);
    std::size_t Length = 1;
    if (Rest.starts_with("//") || Rest.starts_with("/*")) {
      const bool Line = Rest[1] == '/';
      const std::size_t End = Rest.find(Line ? "\n" : "*/", 2);
      I = End == StringRef::npos ? Text.size() : I + End + (Line ? 1 : 2);
      Out += ' ';
      continue;
    }
    const bool Separator = I && isAsciiIdentifierContinue(Text[I - 1]); // 1'000
    if (Rest[0] == '"' || (Rest[0] == '\'' && !Separator)) {
      while (Length < Rest.size() && Rest[Length] != Rest[0])
        Length += Rest[Length] == '\\' ? 2 : 1;
      Length = std::min(Length + 1, Rest.size());
    }
    Out += Rest.take_front(Length);
    I += Length;
  }
  return Out;
}

std::string SourceText::mapped(StringRef File) const {
  llvm::SmallString<256> Path(File);
  for (const auto &[From, To] : llvm::reverse(CodeGen.DebugPrefixMap))
    if (llvm::sys::path::replace_path_prefix(Path, From, To))
      return std::string(Path);
  Context.getLangOpts().remapPathPrefix(Path);
  return std::string(Path);
}

Place SourceText::placeOf(SourceLocation Loc) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(compat::debugLocation(SM, CodeGen, Loc));
  if (P.isInvalid())
    return {};
  return {mapped(P.getFilename()), P.getLine(), CodeGen.DebugColumnInfo ? P.getColumn() : 0};
}

std::string SourceText::spelled(const Expr *E) {
  std::string Text = folded(withoutComments(fileText(E->getSourceRange(), Context)));
  if (!Text.empty())
    return Text;
  MacroArguments Helper(Context);
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.AnonymousTagLocations = false;
  Policy.TerseOutput = true; // no lambda bodies
  llvm::raw_string_ostream OS(Text);
  E->printPretty(OS, &Helper, Policy, 0, "\n", &Context);
  return folded(OS.str());
}

const std::vector<StringRef> &SourceText::lines(StringRef PresumedFile) {
  auto [Slot, New] = Lines.try_emplace(PresumedFile);
  if (!New)
    return Slot->second;
  SourceManager &SM = Context.getSourceManager();
  auto File = SM.getFileManager().getOptionalFileRef(PresumedFile);
  if (!File)
    return Slot->second;
  if (auto Buffer = SM.getMemoryBufferForFileOrNone(*File)) {
    llvm::SmallVector<StringRef, 0> Split;
    Buffer->getBuffer().split(Split, '\n');
    Slot->second.assign(Split.begin(), Split.end());
  }
  return Slot->second;
}

const std::map<unsigned, std::string> &SourceText::ignoresOf(StringRef PresumedFile) {
  auto [Slot, New] = Ignores.try_emplace(PresumedFile);
  if (!New)
    return Slot->second;
  unsigned Number = 0;
  for (StringRef Line : lines(PresumedFile)) {
    ++Number;
    std::size_t At = Line.find(IgnoreMark);
    if (At == StringRef::npos)
      continue;
    StringRef Before = Line.take_front(At);
    if (!Before.contains("//") && !Before.contains("/*"))
      continue;
    StringRef Text = Line.substr(At + IgnoreMark.size()).trim();
    Text.consume_back("*/");
    Slot->second[Number] = folded(Text);
  }
  return Slot->second;
}

std::string SourceText::ignored(SourceLocation From, SourceLocation To) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc First = SM.getPresumedLoc(SM.getFileLoc(From));
  PresumedLoc Last = SM.getPresumedLoc(SM.getFileLoc(To));
  if (First.isInvalid())
    return "";
  const bool OneFile =
      Last.isValid() && StringRef(First.getFilename()) == StringRef(Last.getFilename());
  return ignored(First.getFilename(), First.getLine(),
                 OneFile ? std::max(First.getLine(), Last.getLine()) : First.getLine());
}

std::string SourceText::ignored(StringRef PresumedFile, unsigned From, unsigned To) {
  const auto &Marks = ignoresOf(PresumedFile);
  if (auto Mark = Marks.lower_bound(From); Mark != Marks.end() && Mark->first <= To)
    return Mark->second;
  // A comment behind other code belongs to that code.
  if (auto Above = Marks.find(From - 1); Above != Marks.end()) {
    StringRef Line = lines(PresumedFile)[Above->first - 1].trim();
    if (Line.starts_with("//") || Line.starts_with("/*"))
      return Above->second;
  }
  return "";
}

} // namespace gpuinstr
