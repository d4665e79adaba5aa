// Under nvcc, finds source that the device compile may read differently, in the program's own
// files. SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/NvccConditionals.h"

#include "ast/conditions/AlikeBranches.h"
#include "ast/conditions/CompilerFiles.h"
#include "ast/nvcc/DeclarationScan.h"
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
      const std::size_t Line = Text.take_front(I).rfind('\n') + 1; // npos + 1: the first one
      if (Text.slice(Line, I).ltrim().starts_with("#")) // a directive goes on behind its comments
        for (std::size_t At = I + 1; At < std::min(End, Text.size()); ++At)
          if (Text[At] == '\n' && Text[At - 1] != '\n')
            Out[At - 1] = '\\';
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

/// What stands in the parentheses of `__launch_bounds__(256, BLOCKS)` changes nothing that a kernel
/// does: the end of them, 0 if they are not there.
std::size_t launchBounds(StringRef Text) {
  int Depth = 0;
  const std::size_t Open = Text.find_first_not_of(" \t\n");
  if (Open == StringRef::npos || Text[Open] != '(')
    return 0;
  for (std::size_t I = Open; I < Text.size(); ++I) {
    Depth += (Text[I] == '(') - (Text[I] == ')');
    if (Depth == 0)
      return I + 1;
    if (StringRef("#;{}\"'").contains(Text[I]))
      return 0;
  }
  return 0;
}

void namesOf(StringRef Text, std::vector<StringRef> &Out) {
  for (std::size_t I = 0; I < Text.size();) {
    if (!isAsciiIdentifierContinue(Text[I])) {
      ++I;
      continue;
    }
    StringRef Word = Text.substr(I).take_while([](char C) { return isAsciiIdentifierContinue(C); });
    if (isAsciiIdentifierStart(Word[0]))
      Out.push_back(Word);
    I += Word.size();
    if (Word == "__launch_bounds__")
      I += launchBounds(Text.substr(I));
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

NvccConditionals::NvccConditionals(CompilerInstance &CI) : CI(CI), Values(CI.getPreprocessor()) {}

/// Of the toolkit whose cuda_runtime.h nvcc puts before everything. A header is read: the host's
/// compiler gets no macro of it.
unsigned NvccConditionals::version() const {
  if (Version)
    return *Version;
  Version = 0;
  const HeaderSearch &Search = CI.getPreprocessor().getHeaderSearchInfo();
  for (const DirectoryLookup &Folder : Search.search_dir_range()) {
    if (!Folder.isNormalDir())
      continue;
    llvm::SmallString<256> Path(Folder.getName());
    llvm::sys::path::append(Path, "cuda_runtime_api.h");
    auto Ref = CI.getFileManager().getOptionalFileRef(Path);
    if (!Ref)
      continue;
    constexpr StringRef Define = "\n#define CUDART_VERSION";
    if (auto Text = CI.getFileManager().getBufferForFile(*Ref)) {
      const StringRef All = (*Text)->getBuffer();
      const std::size_t At = All.find(Define);
      StringRef Rest = At == StringRef::npos ? "" : All.drop_front(At + Define.size()).ltrim(" ");
      if (Rest.consumeInteger(10, *Version) || All.find(Define, At + 1) != StringRef::npos)
        Version = 0;
    }
    break;
  }
  return *Version;
}

/// As both sides have it behind so many definitions.
NameMeaning NvccConditionals::meaningOf(StringRef Name, std::size_t Before) const {
  constexpr unsigned Major = 1000;
  auto Known = MacrosByName.find(Name);
  const bool OfProgram = Known != MacrosByName.end();
  if (Name == "__CUDA_ARCH__")
    return {OfProgram ? NameMeaning::Unknown : NameMeaning::Undefined, ""};
  if (depends(Name))
    return {NameMeaning::Unknown, ""};
  if (!OfProgram) {
    if (Name == "true" || Name == "false")
      return {NameMeaning::Undefined, ""};
    if (Name == "__CUDACC__" || Name == "__NVCC__")
      return {NameMeaning::Replaced, "1"};
    if (version() && Name == "CUDART_VERSION")
      return {NameMeaning::Replaced, std::to_string(version())};
    if (version() && Name == "__CUDACC_VER_MAJOR__")
      return {NameMeaning::Replaced, std::to_string(version() / Major)};
    return {NameMeaning::Unknown, ""}; // the command line's, the system's
  }
  // What the command line said before does not count.
  const std::vector<std::size_t> &Places = Known->second;
  const Definition &D = Definitions[Places.front()];
  if (Places.size() != 1 || Places.front() >= Before || !D.Around.empty() || !D.Text || D.Pastes)
    return {NameMeaning::Unknown, ""};
  return {NameMeaning::Replaced, *D.Text};
}

std::optional<bool> NvccConditionals::valueOf(const Test &T, std::size_t Before) const {
  return Values.ofBoth(T.Text, [&](StringRef Name) { return meaningOf(Name, Before); });
}

bool NvccConditionals::decides(const Condition &C) const {
  if (!mayDiffer(C))
    return false;
  if (!C.HasAlikeBranches)
    C.HasAlikeBranches = areBranchesAlike(C.From, 0);
  return HaveLoads || !*C.HasAlikeBranches;
}

/// The sides may take different branches.
bool NvccConditionals::mayDiffer(const Condition &C) const {
  auto Decides = [&](const Test &T) {
    return llvm::any_of(T.Names, [&](StringRef Name) { return decides(Name); });
  };
  if (llvm::none_of(C.Tests, Decides))
    return false;
  for (const Test &T : C.Tests) {
    const std::optional<bool> Value = valueOf(T, C.Before);
    if (!Value && Decides(T))
      return true;
    if (Value && *Value) // neither side asks what follows
      return false;
  }
  return false;
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

void NvccConditionals::include(StringRef Directive, StringRef From, const Conditions &Open) {
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
    read(Path, Open);
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

/// Of `define`: Names has the word itself first, Parts are its lines.
NvccConditionals::Definition NvccConditionals::macro(ArrayRef<StringRef> Names,
                                                     ArrayRef<StringRef> Parts) {
  Definition M;
  M.Declared.push_back(Names[1]);
  M.Names.assign(Names.begin() + 2, Names.end());
  M.IsMacro = true;
  M.Pastes = llvm::any_of(
      Parts, [](StringRef Part) { return Part.contains("##") || Part.contains("%:%:"); });
  if (Names[0] == "define" && Parts.size() == 1) {
    const StringRef Rest = Parts[0].drop_front(Names[1].end() - Parts[0].begin());
    if (!Rest.starts_with("("))
      M.Text = Rest.str();
  }
  return M;
}

void NvccConditionals::scan(StringRef File, Source &S, const Conditions &Around) {
  std::vector<Conditional> Open;
  for (const Condition *C : Around) // to the last line, as what no #endif ends
    Open.push_back({1, 0, C});
  auto Conditions = [&] {
    NvccConditionals::Conditions All;
    for (const Conditional &C : Open)
      All.push_back(C.What);
    return All;
  };
  auto Define = [&](Definition M) {
    M.Around = Conditions();
    MacrosByName[M.Declared.front()].push_back(Definitions.size());
    Definitions.push_back(std::move(M));
  };
  for (unsigned Line = 0; Line < S.Lines.size(); ++Line) {
    StringRef Text = S.Lines[Line].ltrim();
    if (Text.contains("pop_macro")) { // `#pragma pop_macro("A")`, or by _Pragma
      std::vector<StringRef> Popped;
      namesOf(Text, Popped);
      for (StringRef Name : Popped) {
        Definition M;
        M.Declared.push_back(Name);
        Define(std::move(M));
      }
    }
    if (!Text.consume_front("#"))
      continue;
    Text = Text.ltrim();
    // A directive may go on behind backslashes.
    std::vector<StringRef> Parts = {Text};
    for (unsigned Next = Line; Parts.back().rtrim().ends_with("\\") && Next + 1 < S.Lines.size();)
      Parts.push_back(S.Lines[++Next]);
    std::vector<StringRef> Names;
    for (StringRef Part : Parts)
      namesOf(Part, Names);
    const StringRef Word = Names.empty() ? "" : Names[0];
    const bool Opens = Word == "if" || Word == "ifdef" || Word == "ifndef";
    if (Opens || (Word.starts_with("elif") && Open.size() > Around.size())) {
      if (Opens) {
        AllConditions.push_back(
            {{}, Definitions.size(), StringRef(Text.begin(), S.Lines.back().end() - Text.begin())});
        Open.push_back({Line + 1, 0, &AllConditions.back()});
      }
      auto &Tests = const_cast<Condition *>(Open.back().What)->Tests;
      Test T = {std::move(Names), ""};
      for (StringRef Part : Parts)
        T.Text += Part.rtrim().rtrim('\\').str();
      Tests.push_back(std::move(T));
    } else if (Word == "endif" && Open.size() > Around.size()) {
      Open.back().End = Line + 1;
      S.Conditionals.push_back(Open.back());
      Open.pop_back();
    } else if ((Word == "define" || Word == "undef") && Names.size() > 1) {
      Define(macro(Names, Parts));
    } else if (Word == "include" || Word == "include_next" || Word == "import") {
      include(Text.drop_front(Word.size()), File, Conditions());
    }
  }
  for (Conditional &Rest : Open) { // an include guard may end in another file, never seen though
    Rest.End = S.Lines.size();
    S.Conditionals.push_back(Rest);
  }
}

NvccConditionals::Source *NvccConditionals::read(StringRef File, const Conditions &Around) {
  auto [Known, Fresh] = Files.try_emplace(File);
  if (Source *S = Known->second.get(); !Fresh && S)
    for (const Condition *C : Around)
      S->Conditionals.push_back({1, unsigned(S->Lines.size()), C});
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
  for (const Definition &D : Definitions)
    HaveLoads |= llvm::any_of(D.Declared, isLoadFunction);
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
           llvm::none_of(D.Around, [&](const Condition *C) { return decides(*C); })))
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
        D.Around.push_back(C.What);
    Definitions.push_back(std::move(D));
  });
  Lost |= !Followed;
}

/// Of code, pragmas too. Other directives have been looked at.
void NvccConditionals::addNames(const Source &S, unsigned First, unsigned Last,
                                std::vector<StringRef> &Out) {
  StringRef Code; // lines follow each other
  bool Directive = false;
  for (unsigned Line = First; Line <= Last; ++Line) {
    const StringRef Text = S.Lines[Line - 1];
    StringRef Word = Text.ltrim();
    Directive = Directive || (Word.consume_front("#") && !Word.ltrim().starts_with("pragma"));
    if (Directive) {
      namesOf(Code, Out);
      Code = StringRef();
    } else {
      const char *const Begin = Code.empty() ? Text.begin() : Code.begin();
      Code = StringRef(Begin, Text.end() - Begin);
    }
    Directive = Directive && Text.rtrim().ends_with("\\");
  }
  namesOf(Code, Out);
}

bool NvccConditionals::differ(StringRef File, unsigned First, unsigned Last) {
  // Whatever the main file included came before: its macros count everywhere.
  const Source *S = read(File);
  settle();
  if (!S || Lost || !First || Last > S->Lines.size() || First > Last)
    return true;
  for (const Conditional &C : S->Conditionals)
    if (C.Begin <= Last && First <= C.End && decides(*C.What))
      return true;
  std::vector<StringRef> Names;
  addNames(*S, First, Last, Names);
  return llvm::any_of(Names, [&](StringRef Name) { return depends(Name); });
}

} // namespace gpuinstr
