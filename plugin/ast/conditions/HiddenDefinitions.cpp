// Macros that lines define which the host's compile skips.
// SPDX-License-Identifier: Apache-2.0
#include "ast/conditions/HiddenDefinitions.h"

#include "ast/conditions/CompilerFiles.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/FileManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {

StringRef HiddenDefinitions::popped(StringRef Pragma) {
  Pragma = Pragma.take_until([](char C) { return C == '\n'; });
  const std::size_t At = Pragma.find("pop_macro");
  if (At == StringRef::npos)
    return "";
  Pragma = Pragma.drop_front(At + StringRef("pop_macro").size()).ltrim(" \t(\\\"");
  return Pragma.take_while([](char C) { return isAsciiIdentifierContinue(C); });
}

void HiddenDefinitions::read(StringRef Text, unsigned Begin, unsigned End, StringRef Path) {
  Lexer Raw(SourceLocation(), PP.getLangOpts(), Text.begin(), Text.begin() + Begin, Text.end());
  Token T;
  auto Next = [&] {
    Raw.LexFromRawLexer(T);
    return T.isNot(tok::eof) && Raw.getCurrentBufferOffset() < End;
  };
  auto Rest = [&] { return Text.substr(Raw.getCurrentBufferOffset()).ltrim(); };
  auto NotePopped = [&] {
    if (const StringRef Name = popped(Rest()); !Name.empty())
      Found(Name, Path);
  };
  for (bool More = Next(); More;) {
    const bool IsDirective = T.is(tok::hash) && T.isAtStartOfLine();
    if (T.is(tok::raw_identifier) && T.getRawIdentifier() == "_Pragma")
      NotePopped();
    More = Next();
    if (!IsDirective || !More || T.isNot(tok::raw_identifier) || T.isAtStartOfLine())
      continue;
    const StringRef Word = T.getRawIdentifier();
    if (Word == "define" || Word == "undef") {
      More = Next();
      if (T.isNot(tok::raw_identifier))
        continue;
      const StringRef Name = T.getRawIdentifier();
      Found(Name, Path);
      More = Next();
      if (T.is(tok::string_literal))
        Quoted[Name] = StringRef(T.getLiteralData(), T.getLength()).str();
    } else if (Word == "include" || Word == "include_next" || Word == "import") {
      include(Rest(), Path);
    } else if (Word == "pragma") {
      NotePopped();
    }
  }
}

void HiddenDefinitions::include(StringRef Name, StringRef From) {
  if (isAsciiIdentifierStart(Name.empty() ? '"' : Name.front())) {
    auto Known = Quoted.find(Name.take_while([](char C) { return isAsciiIdentifierContinue(C); }));
    Name = Known == Quoted.end() ? StringRef() : StringRef(Known->second);
  }
  const bool IsQuoted = Name.consume_front("\"");
  if ((!IsQuoted && !Name.consume_front("<")) || isOfCompiler(From))
    return;
  const std::string File =
      Name.take_until([&](char C) { return C == (IsQuoted ? '"' : '>'); }).str();
  if (IsQuoted && readFile(llvm::sys::path::parent_path(From), File))
    return;
  for (const DirectoryLookup &Folder : PP.getHeaderSearchInfo().search_dir_range())
    if (Folder.isNormalDir() && readFile(Folder.getName(), File))
      return;
}

/// False: it is not there.
bool HiddenDefinitions::readFile(StringRef Folder, StringRef Name) {
  llvm::SmallString<256> Path(Folder);
  llvm::sys::path::append(Path, Name);
  auto File = PP.getFileManager().getOptionalFileRef(Path);
  if (!File)
    return false;
  if (!Files.insert(Path).second || isOfCompiler(Path))
    return true;
  if (auto Text = PP.getFileManager().getBufferForFile(*File))
    read((*Text)->getBuffer(), 0, ~0u, Path);
  return true;
}

} // namespace gpuinstr
