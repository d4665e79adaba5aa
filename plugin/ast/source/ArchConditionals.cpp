// Finds source that the device compile may parse differently: it depends on __CUDA_ARCH__.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/ArchConditionals.h"

#include "ast/conditions/AlikeBranches.h"
#include "ast/conditions/CompilerFiles.h"
#include "ast/conditions/ConditionValue.h"
#include "ast/conditions/HiddenDefinitions.h"
#include "ast/conditions/TargetNames.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {

class ArchListener : public PPCallbacks {
public:
  ArchListener(std::shared_ptr<ArchConditionals> Notes, Preprocessor &PP)
      : Notes(std::move(Notes)), PP(PP), Hidden(PP, [this](StringRef Name, StringRef Path) {
          Macros.insert(this->PP.getIdentifierInfo(Name));
          noteSet(Name, Path);
        }) {}

  void If(SourceLocation Loc, SourceRange, ConditionValueKind Value) override {
    Stack.push_back({Loc});
    test(Loc, Value == CVK_True);
  }
  void Ifdef(SourceLocation Loc, const Token &, const MacroDefinition &Macro) override {
    Stack.push_back({Loc});
    test(Loc, bool(Macro));
  }
  void Ifndef(SourceLocation Loc, const Token &, const MacroDefinition &Macro) override {
    Stack.push_back({Loc});
    test(Loc, !Macro);
  }
  void Elif(SourceLocation Loc, SourceRange, ConditionValueKind Value, SourceLocation) override {
    test(Loc, Value == CVK_True);
  }
  void Elifdef(SourceLocation Loc, const Token &, const MacroDefinition &Macro) override {
    test(Loc, bool(Macro));
  }
  void Elifdef(SourceLocation Loc, SourceRange, SourceLocation) override { test(Loc, false); }
  void Elifndef(SourceLocation Loc, const Token &, const MacroDefinition &Macro) override {
    test(Loc, !Macro);
  }
  void Elifndef(SourceLocation Loc, SourceRange, SourceLocation) override { test(Loc, false); }
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
    if (!isDependent(Name.getIdentifierInfo()) || meansTheSame(Name, Macro.getMacroInfo()) ||
        isLaunchBound(Range.getBegin()))
      return;
    Notes->add(Range.getBegin(), Range.getEnd(), PP.getSourceManager());
    ChoosesFile |= namesFile(Range.getBegin());
  }
  void MacroDefined(const Token &Name, const MacroDirective *Directive) override {
    const IdentifierInfo *Macro = Name.getIdentifierInfo();
    const bool IsAgain = definesAgain(*Macro, *Directive);
    noteSet(Macro->getName(), Directive->getLocation());
    Undefined.erase(Macro);
    if ((OpenDependent && !IsAgain) || usesDependent(*Directive->getMacroInfo()))
      Macros.insert(Macro);
    else if (Macros.erase(Macro)) // both sides read this, whatever they had before
      Formerly.insert(Macro);
  }
  void MacroUndefined(const Token &Name, const MacroDefinition &Before,
                      const MacroDirective *) override {
    const IdentifierInfo *Macro = Name.getIdentifierInfo();
    noteSet(Macro->getName(), Name.getLocation());
    Undefined.erase(Macro);
    if (!OpenDependent)
      return;
    if (!isDependent(Macro) && Before.getMacroInfo())
      Undefined[Macro] = {Before.getMacroInfo(), innermostDependent()};
    Macros.insert(Macro);
  }

  /// `#pragma pop_macro("NAME")`: what it was may be another thing on the device.
  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind) override {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedExpansionLoc(Loc);
    bool Invalid = false;
    const StringRef Text = SM.getBufferData(File, &Invalid);
    const StringRef Name = Invalid ? "" : HiddenDefinitions::popped(Text.substr(Offset));
    if (const IdentifierInfo *Macro = Name.empty() ? nullptr : PP.getIdentifierInfo(Name);
        Formerly.contains(Macro))
      Macros.insert(Macro);
  }

private:
  static constexpr StringRef Arch = "__CUDA_ARCH__";
  struct Conditional {
    SourceLocation Begin;
    bool Dependent = false;
    bool Taken = false; ///< one of its branches so far, by both sides unless it is dependent
  };
  struct Former {
    const MacroInfo *Macro;
    SourceLocation Inside; ///< the innermost dependent conditional where it was undefined
  };

  bool isDependent(const IdentifierInfo *Name) const {
    return Name && (Macros.count(Name) || isNameOfTarget(*Name) || isOfPch(*Name));
  }
  /// Asked at each use of a macro.
  bool isNameOfTarget(const IdentifierInfo &Name) const {
    auto [Known, IsNew] = NamesOfTarget.try_emplace(&Name, false);
    if (IsNew)
      Known->second = isOfTarget(Name.getName());
    return Known->second;
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

  /// By what replaces it, now. What a macro of the program pastes may be any name:
  /// `CAT(__CUDA_, ARCH__)`.
  bool leadsToDependent(const IdentifierInfo &Name, bool MayPaste) const {
    llvm::SmallPtrSet<const IdentifierInfo *, 8> Seen = {&Name};
    llvm::SmallVector<const IdentifierInfo *, 8> Work = {&Name};
    while (!Work.empty()) {
      const IdentifierInfo *Next = Work.pop_back_val();
      if (isDependent(Next))
        return true;
      const MacroInfo *Macro = Next->hasMacroDefinition() ? PP.getMacroInfo(Next) : nullptr;
      if (!Macro)
        continue;
      for (const Token &T : Macro->tokens()) {
        const IdentifierInfo *Inner = T.getIdentifierInfo();
        if (T.is(tok::hashhash) && MayPaste)
          return true;
        if (Inner && Seen.insert(Inner).second)
          Work.push_back(Inner);
      }
    }
    return false;
  }

  /// The tokens of the directive at Loc, without comments, until the visitor says so. False: they
  /// are not there.
  bool eachToken(SourceLocation Loc, llvm::function_ref<bool(const Token &)> Visit) const {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedLoc(Loc);
    bool Invalid = false;
    const StringRef Text = SM.getBufferData(File, &Invalid);
    if (Invalid)
      return false;
    Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(), Text.begin() + Offset,
              Text.end());
    Raw.setParsingPreprocessorDirective(true); // comments and continued lines are part of it
    Token T;
    for (Raw.LexFromRawLexer(T); T.isNot(tok::eod) && T.isNot(tok::eof); Raw.LexFromRawLexer(T))
      if (!Visit(T))
        break;
    return true;
  }
  /// Whether the directive at Loc names a dependent macro. Its text is read, because an undefined
  /// name in a condition (`#if __CUDA_ARCH__ >= 700` on the host) makes no callback.
  bool mentions(SourceLocation Loc) const {
    const SourceManager &SM = PP.getSourceManager();
    // What the compiler's own headers paste, as in `__GLIBC_USE`, is nothing of the device's.
    const bool MayPaste = !isOfCompiler(SM.getFilename(Loc));
    IdentifierTable &Names = PP.getIdentifierTable();
    bool Found = false;
    const bool IsThere = eachToken(Loc, [&](const Token &T) {
      if (T.isNot(tok::raw_identifier))
        return true;
      const std::string Cleaned =
          T.needsCleaning() ? Lexer::getSpelling(T, SM, PP.getLangOpts()) : std::string();
      const StringRef Word = T.needsCleaning() ? StringRef(Cleaned) : T.getRawIdentifier();
      auto Known = Names.find(Word);
      Found = isOfTarget(Word) ||
              (Known != Names.end() &&
               (isBuiltinOfTarget(*Known->second) || leadsToDependent(*Known->second, MayPaste)));
      return !Found;
    });
    return Found || !IsThere;
  }
  /// As both sides have it.
  NameMeaning meaningOf(StringRef Name) const {
    auto Known = PP.getIdentifierTable().find(Name);
    const IdentifierInfo *Macro = Known == PP.getIdentifierTable().end() ? nullptr : Known->second;
    const MacroInfo *Info = Macro && Macro->hasMacroDefinition() ? PP.getMacroInfo(Macro) : nullptr;
    if (Name == Arch)
      return {SetsArch || Info ? NameMeaning::Unknown : NameMeaning::Undefined, ""};
    if (isOfTarget(Name) || isDependent(Macro))
      return {NameMeaning::Unknown, ""};
    if (!Info)
      return {NameMeaning::Undefined, ""};
    NameMeaning Meaning = {NameMeaning::Replaced, ""};
    if (Info->isFunctionLike() || Info->isBuiltinMacro())
      Meaning.What = NameMeaning::Opaque;
    for (const Token &T : Info->tokens()) {
      if (T.is(tok::hashhash))
        Meaning.What = NameMeaning::Opaque;
      Meaning.Text += " " + PP.getSpelling(T);
    }
    return Meaning;
  }
  bool isAlike(SourceLocation Loc, bool Holds) {
    if (!Values) // the command line has been read
      Values.emplace(PP);
    std::string Text;
    eachToken(Loc, [&](const Token &T) {
      Text += (Text.empty() ? "" : " ") +
              Lexer::getSpelling(T, PP.getSourceManager(), PP.getLangOpts());
      return true;
    });
    return Values->ofBoth(Text, [&](StringRef Name) { return meaningOf(Name); }) == Holds;
  }
  bool hasAlikeBranches(SourceLocation If) {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedLoc(If);
    bool Invalid = false;
    const StringRef Text = SM.getBufferData(File, &Invalid);
    if (Invalid || !areBranchesAlike(Text, Offset))
      return false;
    Notes->ComparesLoads |= !isOfCompiler(SM.getFilename(If));
    return true;
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
      Hidden.read(Text, Begin, End.second, SM.getFilename(From));
  }
  /// Clang's own headers define __CUDA_ARCH__ for the host while they read CUDA's.
  void noteSet(StringRef Macro, StringRef Path) {
    SetsArch |= Macro == Arch && !isOfCompiler(Path);
    Notes->SetsLoads |= isLoadFunction(Macro) && !isOfCompiler(Path);
  }
  void noteSet(StringRef Macro, SourceLocation Where) {
    const SourceManager &SM = PP.getSourceManager();
    noteSet(Macro, SM.getFilename(SM.getExpansionLoc(Where)));
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

  /// Within the parentheses of `__launch_bounds__(256, BLOCKS)`, on one line: what stands there
  /// changes nothing that a kernel does.
  bool isLaunchBound(SourceLocation Loc) const {
    const SourceManager &SM = PP.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedExpansionLoc(Loc);
    bool Invalid = false;
    StringRef Before = SM.getBufferData(File, &Invalid).take_front(Offset);
    Before = Before.drop_front(Before.rfind('\n') + 1);
    const std::size_t Bounds = Before.rfind("__launch_bounds__");
    if (Invalid || Bounds == StringRef::npos || Before.contains("//") || Before.contains("/*") ||
        Before.contains('"') || Before.contains('#'))
      return false;
    Before = Before.drop_front(Bounds + StringRef("__launch_bounds__").size()).ltrim();
    int Depth = 0;
    for (std::size_t I = 0; I < Before.size(); ++I) {
      Depth += (Before[I] == '(') - (Before[I] == ')');
      if (Depth <= 0)
        return false;
    }
    return Depth > 0;
  }

  /// The next condition of the innermost conditional; whether it holds for the host.
  void test(SourceLocation Loc, bool Holds) {
    if (Stack.empty() || Stack.back().Dependent || Stack.back().Taken)
      return;
    Stack.back().Taken = Holds;
    if (!mentions(Loc) || isAlike(Loc, Holds))
      return;
    if (hasAlikeBranches(Stack.back().Begin)) {
      Stack.back().Taken = true; // whichever it is
      return;
    }
    Stack.back().Dependent = true;
    ++OpenDependent;
  }

  std::shared_ptr<ArchConditionals> Notes;
  Preprocessor &PP;
  std::optional<ConditionValue> Values;
  std::vector<Conditional> Stack;
  unsigned OpenDependent = 0;
  bool SetsArch = false; ///< the program itself defines __CUDA_ARCH__, or undefines it
  llvm::DenseSet<const IdentifierInfo *> Macros;   ///< defined, or not, depending on the device
  llvm::DenseSet<const IdentifierInfo *> Formerly; ///< once in Macros
  llvm::DenseMap<const IdentifierInfo *, Former> Undefined; ///< alike until then
  mutable llvm::DenseMap<const IdentifierInfo *, bool> NamesOfTarget;
  HiddenDefinitions Hidden;
  bool ChoosesFile = false;        ///< the next file
  std::vector<FileID> ChosenFiles; ///< open ones
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
  const std::vector<DependentNames::Text> Conditionals = ofProgram(Context.getSourceManager());
  if (Conditionals.empty() && !ComparesLoads)
    return false;
  if (!Names) {
    Names.emplace();
    Names->find(Context, Conditionals);
  }
  return Names->areMentionedBy(D) || (ComparesLoads && (SetsLoads || Names->haveLoads()));
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
