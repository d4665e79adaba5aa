// Under nvcc, finds source that the device compile may read differently, in the program's own
// files. SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/NvccConditionals.h"

#include "ast/nvcc/DeclarationScan.h"
#include "ast/source/DeviceCode.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// The text with blanks in place of comments and raw strings; lines stay where they are.
std::string blankedOut(StringRef Text) {
  std::string Out = Text.str();
  auto Blank = [&](std::size_t From, std::size_t To) {
    for (std::size_t I = From; I < std::min(To, Out.size()); ++I)
      if (Out[I] != '\n')
        Out[I] = ' ';
  };
  for (std::size_t I = 0; I < Text.size(); ++I) {
    if (Text.substr(I).starts_with("//")) {
      std::size_t End = I;
      do // a backslash carries the comment on
        End = Text.find('\n', End + 1);
      while (End != StringRef::npos && Text[End - 1] == '\\');
      Blank(I, End);
      I = std::min(End, Text.size());
    } else if (Text.substr(I).starts_with("/*")) {
      const std::size_t End = Text.find("*/", I + 2);
      Blank(I, End == StringRef::npos ? End : End + 2);
      I = End == StringRef::npos ? Text.size() : End + 1;
    } else if (Text[I] == '"' && I && Text[I - 1] == 'R') {
      const std::size_t Open = Text.find('(', I);
      if (Open == StringRef::npos || Open - I > 17)
        continue;
      const std::string Close = (")" + Text.slice(I + 1, Open) + "\"").str();
      const std::size_t End = Text.find(Close, Open);
      Blank(I, End == StringRef::npos ? End : End + Close.size());
      I = End == StringRef::npos ? Text.size() : End + Close.size() - 1;
    } else if (Text[I] == '"' ||
               (Text[I] == '\'' && !(I && isAsciiIdentifierContinue(Text[I - 1])))) {
      std::size_t End = I + 1;
      while (End < Text.size() && Text[End] != Text[I] && Text[End] != '\n')
        End += Text[End] == '\\' ? 2 : 1;
      I = End;
    }
  }
  return Out;
}

void addNames(StringRef Text, std::vector<StringRef> &Out) {
  for (std::size_t I = 0; I < Text.size();) {
    if (!isAsciiIdentifierContinue(Text[I])) {
      ++I;
      continue;
    }
    StringRef Word = Text.substr(I).take_while([](char C) { return isAsciiIdentifierContinue(C); });
    if (isAsciiIdentifierStart(Word[0]))
      Out.push_back(Word);
    I += Word.size();
  }
}

/// CUDA's own macros that depend on the device.
bool isArchName(StringRef Name) {
  return (Name.starts_with("__CUDA_ARCH") && Name != "__CUDA_ARCH_LIST__") ||
         Name.starts_with("__NVPTX") || Name == "__PTX__" || Name.starts_with("NV_") ||
         Name.starts_with("_NV_") || Name.starts_with("_CCCL_") ||
         Name.starts_with("_LIBCUDACXX") || Name.starts_with("CUB_") ||
         Name.starts_with("THRUST_") || Name.starts_with("_CG_") ||
         Name.starts_with("__CUDACC_DEVICE");
}

} // namespace

bool NvccConditionals::depends(StringRef Name) const {
  return isArchName(Name) || Dependent.contains(Name);
}

bool NvccConditionals::decides(StringRef Name) const {
  // Those of headers that are not read.
  return depends(Name) || Pasting.contains(Name) || Name.starts_with("__CONCAT") ||
         Name == "BOOST_PP_CAT" || Name == "BOOST_JOIN";
}

/// Files of the compiler, the system and CUDA. What else `-isystem` names is read.
bool NvccConditionals::isSystemFolder(StringRef Folder) {
  auto [Known, Fresh] = SystemFolders.try_emplace(Folder, false);
  if (!Fresh)
    return Known->second;
  llvm::SmallString<256> Header(Folder);
  llvm::sys::path::append(Header, "cuda_runtime.h");
  bool System = bool(CI.getFileManager().getOptionalFileRef(Header));
  const HeaderSearch &Search = CI.getPreprocessor().getHeaderSearchInfo();
  for (auto I = Search.system_dir_begin(); I != Search.system_dir_end() && !System; ++I)
    System =
        I->isNormalDir() && Folder == I->getName() && isOfCompiler((I->getName() + "/file").str());
  return SystemFolders[Folder] = System;
}

void NvccConditionals::include(StringRef Directive, StringRef From, ArrayRef<Conditional> Open) {
  Directive = Directive.ltrim();
  const char Close = Directive.starts_with("<") ? '>' : '"';
  if (!Directive.starts_with("<") && !Directive.starts_with("\"")) {
    Lost = true; // a macro
    return;
  }
  const StringRef Name = Directive.drop_front().take_until([&](char C) { return C == Close; });
  auto TryFolder = [&](StringRef Folder) {
    llvm::SmallString<256> Path(Folder);
    llvm::sys::path::append(Path, Name);
    if (!CI.getFileManager().getOptionalFileRef(Path))
      return false;
    if (isSystemFolder(Folder))
      return true;
    std::vector<StringRef> Around;
    for (const Conditional &C : Open)
      llvm::append_range(Around, C.Names);
    read(Path, Around);
    return true;
  };
  if (Close == '"' && TryFolder(llvm::sys::path::parent_path(From)))
    return;
  HeaderSearch &Search = CI.getPreprocessor().getHeaderSearchInfo();
  for (const DirectoryLookup &Folder : Search.search_dir_range())
    if (Folder.isNormalDir() && TryFolder(Folder.getName()))
      return;
  // Nobody finds it: the compile would have failed if the line counted.
}

void NvccConditionals::scan(StringRef File, Source &S, ArrayRef<StringRef> Around) {
  std::vector<Conditional> Open;
  if (!Around.empty()) // to the last line, as what no #endif ends
    Open.push_back({1, 0, Around});
  for (unsigned Line = 0; Line < S.Lines.size(); ++Line) {
    StringRef Text = S.Lines[Line].ltrim();
    if (!Text.consume_front("#"))
      continue;
    Text = Text.ltrim();
    // A directive may go on behind backslashes.
    std::vector<StringRef> Parts = {Text};
    for (unsigned Next = Line; Parts.back().rtrim().ends_with("\\") && Next + 1 < S.Lines.size();)
      Parts.push_back(S.Lines[++Next]);
    std::vector<StringRef> Names;
    for (StringRef Part : Parts)
      addNames(Part, Names);
    const StringRef Word = Names.empty() ? "" : Names[0];
    if (Word == "if" || Word == "ifdef" || Word == "ifndef") {
      Open.push_back({Line + 1, 0, std::move(Names)});
    } else if (Word.starts_with("elif") && !Open.empty()) {
      llvm::append_range(Open.back().Names, Names);
    } else if (Word == "endif" && !Open.empty()) {
      Open.back().End = Line + 1;
      S.Conditionals.push_back(std::move(Open.back()));
      Open.pop_back();
    } else if ((Word == "define" || Word == "undef") && Names.size() > 1) {
      Definition M;
      M.Declared.push_back(Names[1]);
      M.Names.assign(Names.begin() + 2, Names.end());
      M.IsMacro = true;
      M.Pastes = llvm::any_of(
          Parts, [](StringRef Part) { return Part.contains("##") || Part.contains("%:%:"); });
      for (const Conditional &Around : Open)
        llvm::append_range(M.Around, Around.Names);
      Definitions.push_back(std::move(M));
    } else if (Word == "include" || Word == "include_next" || Word == "import") {
      include(Text.drop_front(Word.size()), File, Open);
    }
  }
  for (Conditional &Rest : Open) { // an include guard may end in another file, never seen though
    Rest.End = S.Lines.size();
    S.Conditionals.push_back(std::move(Rest));
  }
}

NvccConditionals::Source *NvccConditionals::read(StringRef File, ArrayRef<StringRef> Around) {
  auto [Known, Fresh] = Files.try_emplace(File);
  if (Source *S = Known->second.get(); !Fresh && S && !Around.empty())
    S->Conditionals.push_back({1, unsigned(S->Lines.size()), Around});
  if (!Fresh)
    return Known->second.get();
  auto Ref = CI.getFileManager().getOptionalFileRef(File);
  if (!Ref)
    return nullptr;
  auto Text = CI.getFileManager().getBufferForFile(*Ref);
  if (!Text)
    return nullptr;
  auto Made = std::make_unique<Source>();
  Made->Text = std::move(*Text);
  Stripped.push_back(std::make_unique<std::string>(blankedOut(Made->Text->getBuffer())));
  llvm::SmallVector<StringRef, 0> Lines;
  StringRef(*Stripped.back()).split(Lines, '\n');
  Made->Lines.assign(Lines.begin(), Lines.end());
  Source *S = Made.get();
  Files[File] = std::move(Made);
  scan(File, *S, Around);
  declarations(*S);
  Settled = false;
  return S;
}

void NvccConditionals::settle() {
  if (Settled)
    return;
  Settled = true;
  for (std::size_t Before = ~std::size_t(0); Before != Pasting.size();) {
    Before = Pasting.size();
    for (const Definition &D : Definitions)
      if (D.Pastes || (D.IsMacro && llvm::any_of(D.Names, [&](StringRef Name) {
                         return Pasting.contains(Name);
                       })))
        Pasting.insert(D.Declared.front());
  }
  for (std::size_t Before = ~std::size_t(0); Before != Dependent.size();) {
    Before = Dependent.size();
    for (const Definition &D : Definitions) {
      if (llvm::all_of(D.Declared, [&](StringRef Name) { return Dependent.contains(Name); }) ||
          (llvm::none_of(D.Names, [&](StringRef Name) { return depends(Name); }) &&
           llvm::none_of(D.Around, [&](StringRef Name) { return decides(Name); })))
        continue;
      for (StringRef Name : D.Declared)
        Dependent.insert(Name);
      // Found without being named.
      Lost |= llvm::is_contained(D.Declared, "operator") || llvm::is_contained(D.Declared, "using");
    }
  }
}

void NvccConditionals::declarations(Source &S) {
  const bool Followed = scanDeclarations(S.Lines, [&](const Declaration &Found) {
    Definition D;
    D.Declared = Found.Declared;
    D.Names = Found.Names;
    for (const Conditional &C : S.Conditionals)
      if (C.Begin <= Found.Last && Found.First <= C.End)
        llvm::append_range(D.Around, C.Names);
    Definitions.push_back(std::move(D));
  });
  Lost |= !Followed;
}

bool NvccConditionals::differ(StringRef File, unsigned First, unsigned Last) {
  // Whatever the main file included came before: its macros count everywhere.
  const Source *S = read(File);
  settle();
  if (!S || Lost || !First || Last > S->Lines.size() || First > Last)
    return true;
  for (const Conditional &C : S->Conditionals)
    if (C.Begin <= Last && First <= C.End &&
        llvm::any_of(C.Names, [&](StringRef Name) { return decides(Name); }))
      return true;
  std::vector<StringRef> Names;
  for (unsigned Line = First; Line <= Last; ++Line)
    addNames(S->Lines[Line - 1], Names);
  return llvm::any_of(Names, [&](StringRef Name) { return depends(Name); });
}

} // namespace gpuinstr
