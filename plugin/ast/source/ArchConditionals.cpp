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
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <utility>

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
                   FileID Exited) override {
    const SourceManager &SM = PP.getSourceManager();
    if (Reason == ExitFile && !ChosenFiles.empty() && ChosenFiles.back() == Exited) {
      ChosenFiles.pop_back();
      --OpenDependent;
    }
    if (Reason == EnterFile && std::exchange(ChoosesFile, false)) {
      ChosenFiles.push_back(SM.getFileID(Loc));
      ++OpenDependent;
    }
    if (OpenDependent && Reason == EnterFile &&
        !(SrcMgr::isSystem(Kind) && isOfCompiler(SM.getFilename(Loc))))
      Notes->addFile(SM.getFileID(Loc));
  }

  void MacroExpands(const Token &Name, const MacroDefinition &Macro, SourceRange Range,
                    const MacroArgs *) override {
    if (!isDependent(Name.getIdentifierInfo()) || meansTheSame(Name, Macro.getMacroInfo()))
      return;
    Notes->add(Range.getBegin(), Range.getEnd(), PP.getSourceManager());
    ChoosesFile |= namesFile(Range.getBegin());
  }
  void MacroDefined(const Token &Name, const MacroDirective *Directive) override {
    const IdentifierInfo *Macro = Name.getIdentifierInfo();
    const bool IsAgain = definesAgain(*Macro, *Directive);
    Undefined.erase(Macro);
    if ((OpenDependent && !IsAgain) || usesDependent(*Directive->getMacroInfo()))
      Macros.insert(Macro);
    else // both sides read this, whatever they had before
      Macros.erase(Macro);
  }
  void MacroUndefined(const Token &Name, const MacroDefinition &Before,
                      const MacroDirective *) override {
    const IdentifierInfo *Macro = Name.getIdentifierInfo();
    Undefined.erase(Macro);
    if (!OpenDependent)
      return;
    if (!isDependent(Macro) && Before.getMacroInfo())
      Undefined[Macro] = {Before.getMacroInfo(), innermostDependent()};
    Macros.insert(Macro);
  }

private:
  struct Conditional {
    SourceLocation Begin;
    bool Dependent;
  };
  struct Former {
    const MacroInfo *Macro;
    SourceLocation Inside; ///< the innermost dependent conditional where it was undefined
  };

  static bool isArchMacro(StringRef Name) {
    return (Name.starts_with("__CUDA_ARCH") && Name != "__CUDA_ARCH_LIST__") ||
           Name.starts_with("__NVPTX") || Name == "__PTX__" || isOfTarget(Name);
  }
  /// What else clang defines otherwise for the device, seen with 22.1 and `-E -dM`: OpenMP and
  /// sanitizers are of the host alone. And what a condition may ask with __has_feature,
  /// __has_attribute and their like.
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
                                   "__pie__",
                                   "tls",
                                   "cxx_thread_local",
                                   "c_thread_local",
                                   "force_align_arg_pointer",
                                   "function_return",
                                   "ifunc",
                                   "interrupt",
                                   "no_caller_saved_registers",
                                   "nocf_check",
                                   "nvptx_kernel",
                                   "patchable_function_entry",
                                   "preserve_none"};
    constexpr StringRef Beginnings[] = {"__LDBL_",         "__code_model_", "__SANITIZE_",
                                        "__SSP_",          "__is_target_",  "__nvvm_",
                                        "__builtin_ia32_", "__builtin_cpu_"};
    return llvm::is_contained(Names, Name) || Name == "__SSP__" || Name.ends_with("_sanitizer") ||
           llvm::any_of(Beginnings, [&](StringRef Begin) { return Name.starts_with(Begin); });
  }
  bool isDependent(const IdentifierInfo *Name) const {
    return Name && (Macros.count(Name) || isArchMacro(Name->getName()) || isOfPch(*Name));
  }
  /// CCCL's checks, which are off on both sides or on on both, and its other spellings of one
  /// thing.
  bool meansTheSame(const Token &Name, const MacroInfo *Macro) const {
    constexpr StringRef Names[] = {"_CCCL_ASSERT", "_CCCL_VERIFY", "_CCCL_UNREACHABLE",
                                   "_CCCL_PRAGMA_UNROLL", "_CCCL_PRAGMA_UNROLL_FULL"};
    if (!Macro || !llvm::is_contained(Names, Name.getIdentifierInfo()->getName()) ||
        !isOfCompiler(PP.getSourceManager().getFilename(Macro->getDefinitionLoc())))
      return false;
    auto IsOn = [&](StringRef Checks) { return PP.isMacroDefined(Checks); };
    return IsOn("CCCL_ENABLE_HOST_ASSERTIONS") == IsOn("CCCL_ENABLE_DEVICE_ASSERTIONS");
  }
  /// From a PCH or a module: under which conditions it is defined there, nobody has seen. Those of
  /// the compiler and of CUDA are alike on both sides, but for those of <nv/target>.
  bool isOfPch(const IdentifierInfo &Name) const {
    if (!Name.isFromAST() || !Name.hasMacroDefinition())
      return false;
    const MacroInfo *Macro = PP.getMacroInfo(&Name);
    const SourceManager &SM = PP.getSourceManager();
    const SourceLocation Loc = Macro ? Macro->getDefinitionLoc() : SourceLocation();
    return Loc.isValid() && SM.isLoadedSourceLocation(Loc) && !SM.isWrittenInBuiltinFile(Loc) &&
           (Name.getName().contains("NV_") || !isOfCompiler(SM.getFilename(Loc)));
  }
  SourceLocation innermostDependent() const {
    for (const Conditional &C : llvm::reverse(Stack))
      if (C.Dependent)
        return C.Begin;
    return {};
  }
  /// As it was before the dependent conditional, so that it does not matter who reads this: a
  /// second <assert.h> in one of CUDA's headers.
  bool definesAgain(const IdentifierInfo &Name, const MacroDirective &Directive) const {
    const MacroInfo *Before = nullptr;
    if (auto Known = Undefined.find(&Name); Known != Undefined.end()) {
      if (Known->second.Inside.isValid() && Known->second.Inside == innermostDependent())
        Before = Known->second.Macro;
    } else if (const MacroDirective *Previous = Directive.getPrevious()) {
      if (isa<DefMacroDirective>(Previous) && !isDependent(&Name))
        Before = Previous->getMacroInfo();
    }
    return Before && Before->isIdenticalTo(*Directive.getMacroInfo(), PP, /*Syntactically=*/false);
  }
  bool usesDependent(const MacroInfo &Macro) const {
    for (const Token &T : Macro.tokens())
      if (isDependent(T.getIdentifierInfo()))
        return true;
    return false;
  }

  /// What a macro of the program pastes may be any name: `CAT(__CUDA_, ARCH__)`.
  bool pastes(const IdentifierInfo &Name) const {
    llvm::SmallPtrSet<const IdentifierInfo *, 8> Seen = {&Name};
    llvm::SmallVector<const IdentifierInfo *, 8> Work = {&Name};
    while (!Work.empty()) {
      const IdentifierInfo *Next = Work.pop_back_val();
      const MacroInfo *Macro = Next->hasMacroDefinition() ? PP.getMacroInfo(Next) : nullptr;
      if (!Macro)
        continue;
      for (const Token &T : Macro->tokens()) {
        const IdentifierInfo *Inner = T.getIdentifierInfo();
        if (T.is(tok::hashhash))
          return true;
        if (Inner && Seen.insert(Inner).second)
          Work.push_back(Inner);
      }
    }
    return false;
  }

  /// Whether the directive at Loc names a dependent macro. Its text is read, because an undefined
  /// name in a condition (`#if __CUDA_ARCH__ >= 700` on the host) makes no callback.
  bool mentions(SourceLocation Loc) const {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedLoc(Loc);
    // What the compiler's own headers paste, as in `__GLIBC_USE`, is nothing of the device's.
    const bool MayPaste = !isOfCompiler(SM.getFilename(Loc));
    bool Invalid = false;
    const StringRef Text = SM.getBufferData(File, &Invalid);
    if (Invalid)
      return true;
    Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(), Text.begin() + Offset,
              Text.end());
    Raw.setParsingPreprocessorDirective(true); // comments and continued lines are part of it
    IdentifierTable &Names = PP.getIdentifierTable();
    Token T;
    for (Raw.LexFromRawLexer(T); T.isNot(tok::eod) && T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
      if (T.isNot(tok::raw_identifier))
        continue;
      const std::string Cleaned =
          T.needsCleaning() ? Lexer::getSpelling(T, SM, PP.getLangOpts()) : std::string();
      const StringRef Word = T.needsCleaning() ? StringRef(Cleaned) : T.getRawIdentifier();
      auto Known = Names.find(Word);
      if (isArchMacro(Word) || (Known != Names.end() &&
                                (isDependent(Known->second) || isBuiltinOfTarget(*Known->second) ||
                                 (MayPaste && pastes(*Known->second)))))
        return true;
    }
    return false;
  }
  /// What a condition asks with __has_builtin.
  bool isBuiltinOfTarget(const IdentifierInfo &Name) const {
    const unsigned ID = Name.getBuiltinID();
    return ID && PP.getBuiltinInfo().isTSBuiltin(ID);
  }

  /// What its branches define: the host skips those of the device.
  void noteHidden(SourceLocation From, SourceLocation To) {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Begin] = SM.getDecomposedLoc(From);
    const auto End = SM.getDecomposedLoc(To);
    bool Invalid = false;
    const StringRef Text = SM.getBufferData(File, &Invalid);
    if (!Invalid && End.first == File)
      noteDefinitions(Text, Begin, End.second, SM.getFilename(From));
  }
  /// In a file's text, from and up to these places.
  void noteDefinitions(StringRef Text, unsigned Begin, unsigned End, StringRef Path) {
    Lexer Raw(SourceLocation(), PP.getLangOpts(), Text.begin(), Text.begin() + Begin, Text.end());
    Token T;
    auto Next = [&] {
      Raw.LexFromRawLexer(T);
      return T.isNot(tok::eof) && Raw.getCurrentBufferOffset() < End;
    };
    for (bool More = Next(); More;) {
      const bool IsDirective = T.is(tok::hash) && T.isAtStartOfLine();
      More = Next();
      if (!IsDirective || !More || T.isNot(tok::raw_identifier) || T.isAtStartOfLine())
        continue;
      const StringRef Word = T.getRawIdentifier();
      if (Word == "define" || Word == "undef") {
        More = Next();
        if (T.isNot(tok::raw_identifier))
          continue;
        const StringRef Name = T.getRawIdentifier();
        Macros.insert(PP.getIdentifierInfo(Name));
        More = Next();
        if (T.is(tok::string_literal))
          HiddenStrings[Name] = StringRef(T.getLiteralData(), T.getLength());
      } else if (Word == "include" || Word == "include_next" || Word == "import") {
        noteIncluded(Text.substr(Raw.getCurrentBufferOffset()).ltrim(), Path);
      } else if (Word == "pragma") {
        notePopped(Text.substr(Raw.getCurrentBufferOffset()).ltrim());
      }
    }
  }
  /// `#pragma pop_macro("NAME")`
  void notePopped(StringRef Pragma) {
    if (!Pragma.consume_front("pop_macro"))
      return;
    const StringRef Name = Pragma.take_until([](char C) { return C == '\n'; }).split('"').second;
    if (Name.contains('"'))
      Macros.insert(PP.getIdentifierInfo(Name.split('"').first));
  }
  void noteIncluded(StringRef Name, StringRef From) {
    if (isAsciiIdentifierStart(Name.empty() ? '"' : Name.front()))
      Name = HiddenStrings.lookup(
          Name.take_while([](char C) { return isAsciiIdentifierContinue(C); }));
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
      noteDefinitions((*Text)->getBuffer(), 0, ~0u, Path);
    return true;
  }

  /// In `#include NAME`.
  bool namesFile(SourceLocation Loc) const {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedExpansionLoc(Loc);
    bool Invalid = false;
    StringRef Before = SM.getBufferData(File, &Invalid).take_front(Offset);
    if (Invalid)
      return false;
    Before = Before.drop_front(Before.rfind('\n') + 1).ltrim(); // npos + 1: all of it
    return Before.consume_front("#") && Before.ltrim().starts_with("include");
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
  llvm::DenseMap<const IdentifierInfo *, Former> Undefined; ///< alike until then
  llvm::StringSet<> HiddenFiles;                            ///< read for what they define
  llvm::StringMap<StringRef> HiddenStrings;                 ///< macros there that name files
  bool ChoosesFile = false;                                 ///< the next file
  std::vector<FileID> ChosenFiles;                          ///< open ones
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
