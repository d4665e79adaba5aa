// Finds source that the device compile may parse differently: it depends on __CUDA_ARCH__.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/ArchConditionals.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {

class ArchListener : public PPCallbacks {
public:
  ArchListener(std::shared_ptr<ArchConditionals> Notes, Preprocessor &PP)
      : Notes(std::move(Notes)), PP(PP) {}

  void If(SourceLocation Loc, SourceRange, ConditionValueKind) override { open(Loc); }
  void Ifdef(SourceLocation Loc, const Token &, const MacroDefinition &) override { open(Loc); }
  void Ifndef(SourceLocation Loc, const Token &, const MacroDefinition &) override { open(Loc); }
  void Elif(SourceLocation Loc, SourceRange, ConditionValueKind, SourceLocation) override {
    settle(mentions(Loc));
  }
  void Elifdef(SourceLocation Loc, const Token &, const MacroDefinition &) override {
    settle(mentions(Loc));
  }
  void Elifdef(SourceLocation Loc, SourceRange, SourceLocation) override { settle(mentions(Loc)); }
  void Elifndef(SourceLocation Loc, const Token &, const MacroDefinition &) override {
    settle(mentions(Loc));
  }
  void Elifndef(SourceLocation Loc, SourceRange, SourceLocation) override { settle(mentions(Loc)); }
  void Endif(SourceLocation Loc, SourceLocation) override {
    if (Stack.empty())
      return;
    if (Stack.back().Dependent) {
      Notes->add(Stack.back().Begin, Loc, PP.getSourceManager());
      noteHidden(Stack.back().Begin, Loc);
      --OpenDependent;
    }
    Stack.pop_back();
  }

  /// A file that the device may not get at all, or another one in its place.
  void FileChanged(SourceLocation Loc, FileChangeReason Reason, SrcMgr::CharacteristicKind Kind,
                   FileID) override {
    const SourceManager &SM = PP.getSourceManager();
    if (OpenDependent && Reason == EnterFile &&
        !(SrcMgr::isSystem(Kind) && isOfCompiler(SM.getFilename(Loc))))
      Notes->addFile(SM.getFileID(Loc));
  }

  void MacroExpands(const Token &Name, const MacroDefinition &, SourceRange Range,
                    const MacroArgs *) override {
    if (isDependent(Name.getIdentifierInfo()))
      Notes->add(Range.getBegin(), Range.getEnd(), PP.getSourceManager());
  }
  void MacroDefined(const Token &Name, const MacroDirective *Directive) override {
    if (OpenDependent || usesDependent(*Directive->getMacroInfo()))
      Macros.insert(Name.getIdentifierInfo());
  }
  void MacroUndefined(const Token &Name, const MacroDefinition &, const MacroDirective *) override {
    if (OpenDependent)
      Macros.insert(Name.getIdentifierInfo());
  }

private:
  struct Conditional {
    SourceLocation Begin;
    bool Dependent;
  };

  static bool isArchMacro(StringRef Name) {
    return (Name.starts_with("__CUDA_ARCH") && Name != "__CUDA_ARCH_LIST__") ||
           Name.starts_with("__NVPTX") || Name == "__PTX__" || isOfTarget(Name);
  }
  /// What else clang defines otherwise for the device, seen with 22.1 and `-E -dM`: OpenMP and
  /// sanitizers are of the host alone. And what a condition may ask with __has_builtin and its
  /// like.
  static bool isOfTarget(StringRef Name) {
    constexpr StringRef Names[] = {"__SIZEOF_LONG_DOUBLE__",
                                   "__BIGGEST_ALIGNMENT__",
                                   "__BITINT_MAXWIDTH__",
                                   "__NO_MATH_ERRNO__",
                                   "__cpp_threadsafe_static_init",
                                   "__GCC_HAVE_DWARF2_CFI_ASM",
                                   "_OPENMP",
                                   "__PIC__",
                                   "__PIE__",
                                   "__pic__",
                                   "__pie__"};
    constexpr StringRef Beginnings[] = {"__LDBL_",      "__code_model_", "__SANITIZE_",    "__SSP_",
                                        "__is_target_", "__nvvm_",       "__builtin_ia32_"};
    return llvm::is_contained(Names, Name) || Name == "__SSP__" || Name.ends_with("_sanitizer") ||
           llvm::any_of(Beginnings, [&](StringRef Begin) { return Name.starts_with(Begin); });
  }
  bool isDependent(const IdentifierInfo *Name) const {
    return Name && (Macros.count(Name) || isArchMacro(Name->getName()));
  }
  bool usesDependent(const MacroInfo &Macro) const {
    for (const Token &T : Macro.tokens())
      if (isDependent(T.getIdentifierInfo()))
        return true;
    return false;
  }

  /// Whether the directive at Loc names a dependent macro. Its text is read, because an undefined
  /// name in a condition (`#if __CUDA_ARCH__ >= 700` on the host) makes no callback.
  bool mentions(SourceLocation Loc) const {
    bool Invalid = false;
    const char *C = PP.getSourceManager().getCharacterData(Loc, &Invalid);
    if (Invalid)
      return true;
    IdentifierTable &Names = PP.getIdentifierTable();
    while (*C && !(*C == '\n' && C[-1] != '\\')) {
      if (!isAsciiIdentifierStart(*C)) {
        ++C;
        continue;
      }
      const char *Begin = C;
      while (isAsciiIdentifierContinue(*C))
        ++C;
      StringRef Word(Begin, C - Begin);
      auto Known = Names.find(Word);
      if (isArchMacro(Word) || (Known != Names.end() && Macros.count(Known->second)))
        return true;
    }
    return false;
  }

  /// What its branches define: the host skips those of the device.
  void noteHidden(SourceLocation From, SourceLocation To) {
    const SourceManager &SM = PP.getSourceManager();
    bool Invalid = false;
    const char *Begin = SM.getCharacterData(From, &Invalid), *End = SM.getCharacterData(To);
    if (!Invalid && SM.getFileID(From) == SM.getFileID(To))
      noteDefinitions(StringRef(Begin, End - Begin), SM.getFilename(From));
  }
  void noteDefinitions(StringRef Text, StringRef Path) {
    while (!Text.empty()) {
      StringRef Line;
      std::tie(Line, Text) = Text.split('\n');
      Line = Line.ltrim();
      if (!Line.consume_front("#"))
        continue;
      Line = Line.ltrim();
      if (Line.consume_front("define") || Line.consume_front("undef"))
        Macros.insert(PP.getIdentifierInfo(
            Line.ltrim().take_while([](char C) { return isAsciiIdentifierContinue(C); })));
      else if (Line.consume_front("include"))
        noteIncluded(Line.ltrim(), Path);
    }
  }
  void noteIncluded(StringRef Name, StringRef From) {
    const bool IsQuoted = Name.consume_front("\"");
    if ((!IsQuoted && !Name.consume_front("<")) || isOfCompiler(From))
      return;
    Name = Name.take_until([&](char C) { return C == (IsQuoted ? '"' : '>'); });
    if (IsQuoted && noteFile(llvm::sys::path::parent_path(From), Name))
      return;
    for (const DirectoryLookup &Folder : PP.getHeaderSearchInfo().search_dir_range())
      if (Folder.isNormalDir() && noteFile(Folder.getName(), Name))
        return;
  }
  /// False: it is not there.
  bool noteFile(StringRef Folder, StringRef Name) {
    llvm::SmallString<256> Path(Folder);
    llvm::sys::path::append(Path, Name);
    auto File = PP.getFileManager().getOptionalFileRef(Path);
    if (!File)
      return false;
    if (!HiddenFiles.insert(Path).second || isOfCompiler(Path))
      return true;
    if (auto Text = PP.getFileManager().getBufferForFile(*File))
      noteDefinitions((*Text)->getBuffer(), Path);
    return true;
  }

  void open(SourceLocation Loc) {
    Stack.push_back({Loc, false});
    settle(mentions(Loc));
  }
  void settle(bool Dependent) {
    if (Stack.empty() || Stack.back().Dependent || !Dependent)
      return;
    Stack.back().Dependent = true;
    ++OpenDependent;
  }

  std::shared_ptr<ArchConditionals> Notes;
  Preprocessor &PP;
  std::vector<Conditional> Stack;
  unsigned OpenDependent = 0;
  llvm::DenseSet<const IdentifierInfo *> Macros; ///< defined, or not, depending on the device
  llvm::StringSet<> HiddenFiles;                 ///< read for what they define
};

std::shared_ptr<ArchConditionals> ArchConditionals::attach(Preprocessor &PP) {
  auto Notes = std::make_shared<ArchConditionals>();
  PP.addPPCallbacks(std::make_unique<ArchListener>(Notes, PP));
  return Notes;
}

void ArchConditionals::add(SourceLocation From, SourceLocation To, const SourceManager &SM) {
  const auto Begin = SM.getDecomposedExpansionLoc(From);
  const auto End = SM.getDecomposedExpansionLoc(To);
  if (Begin.first == End.first)
    Dependent[Begin.first].push_back({Begin.second, End.second});
}

bool isOfCompiler(StringRef Path) {
  if (Path.contains("/lib/clang/") || Path.contains("/include/c++/") ||
      Path.contains("/usr/include/") || Path.contains("/usr/lib/gcc"))
    return true;
  static llvm::StringMap<bool> CudaFolders;
  constexpr unsigned Depth = 8;
  StringRef Folder = llvm::sys::path::parent_path(Path);
  for (unsigned I = 0; I < Depth && !Folder.empty();
       ++I, Folder = llvm::sys::path::parent_path(Folder)) {
    auto [Known, Fresh] = CudaFolders.try_emplace(Folder, false);
    if (Fresh)
      Known->second = llvm::sys::fs::exists(Folder + "/cuda_runtime.h");
    if (Known->second)
      return true;
  }
  return false;
}

void ArchConditionals::addFile(FileID File) { Dependent[File].push_back({0, ~0u}); }

const FunctionDecl *ArchConditionals::definition(const FunctionDecl &F) {
  const FunctionDecl *Definition = nullptr;
  return F.hasBody(Definition) ? Definition : nullptr;
}

bool ArchConditionals::differs(const Decl &D) {
  if (D.getLocation().isInvalid())
    return false;
  ASTContext &Context = D.getASTContext();
  if (touches(D.getSourceRange(), Context.getSourceManager()))
    return true;
  if (!Names) {
    Names.emplace();
    Names->find(Context, ofProgram(Context.getSourceManager()));
  }
  return Names->areMentionedBy(D);
}

std::vector<DependentNames::Text> ArchConditionals::ofProgram(const SourceManager &SM) const {
  std::vector<DependentNames::Text> Out;
  for (const auto &[File, Intervals] : Dependent) {
    const SourceLocation Start = SM.getLocForStartOfFile(File);
    if (!SM.isInSystemHeader(Start) || !isOfCompiler(SM.getFilename(Start)))
      for (const Interval &I : Intervals)
        Out.push_back({File, I.Begin, I.End});
  }
  return Out;
}

bool ArchConditionals::touches(SourceRange Range, const SourceManager &SM) const {
  const auto Begin = SM.getDecomposedExpansionLoc(Range.getBegin());
  const auto End = SM.getDecomposedExpansionLoc(Range.getEnd());
  // A body of several files, or one that another compile preprocessed: nobody listened.
  if (Begin.first != End.first || SM.isLoadedFileID(Begin.first))
    return true;
  auto InFile = Dependent.find(Begin.first);
  if (InFile == Dependent.end())
    return false;
  for (const Interval &I : InFile->second)
    if (I.Begin <= End.second && Begin.second <= I.End)
      return true;
  return false;
}

} // namespace gpuinstr
