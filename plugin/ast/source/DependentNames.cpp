// The names of what the unit declares otherwise for the device than for the host.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/DependentNames.h"

#include "ast/conditions/AlikeBranches.h"
#include "ast/conditions/CompilerFiles.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

StringRef nameOf(const Decl &D) {
  const auto *Named = dyn_cast<NamedDecl>(&D);
  return Named && Named->getIdentifier() ? Named->getName() : StringRef();
}

/// What the program wrote, of an instance too, with `template <...>` before it.
SourceRange writtenRange(const Decl &D) {
  if (const auto *F = dyn_cast<FunctionDecl>(&D)) {
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    const FunctionDecl *Written = Pattern ? Pattern : F;
    if (const FunctionTemplateDecl *Template = Written->getDescribedFunctionTemplate())
      return {Template->getBeginLoc(), Written->getEndLoc()};
    return Written->getSourceRange();
  }
  if (const auto *Class = dyn_cast<CXXRecordDecl>(&D)) {
    const CXXRecordDecl *Pattern = Class->getTemplateInstantiationPattern();
    const CXXRecordDecl *Written = Pattern ? Pattern : Class;
    if (const ClassTemplateDecl *Template = Written->getDescribedClassTemplate())
      return {Template->getBeginLoc(), Written->getEndLoc()};
    return Written->getSourceRange();
  }
  if (const auto *V = dyn_cast<VarDecl>(&D)) {
    const VarDecl *Pattern = V->getTemplateInstantiationPattern();
    const VarDecl *Written = Pattern ? Pattern : V;
    if (const VarTemplateDecl *Template = Written->getDescribedVarTemplate())
      return {Template->getBeginLoc(), Written->getEndLoc()};
    return Written->getSourceRange();
  }
  return D.getSourceRange();
}

} // namespace

bool DependentNames::place(SourceRange Range, Text &Out) const {
  const SourceManager &SM = Context->getSourceManager();
  if (Range.isInvalid())
    return false;
  const auto Begin = SM.getDecomposedExpansionLoc(Range.getBegin());
  const auto End = SM.getDecomposedLoc(SM.getExpansionRange(Range.getEnd()).getEnd());
  if (Begin.first != End.first || Begin.second > End.second || SM.isLoadedFileID(Begin.first))
    return false;
  Out = {Begin.first, Begin.second, End.second};
  return true;
}

/// The last token begins at the end.
void DependentNames::eachToken(const Text &Where,
                               llvm::function_ref<bool(StringRef, bool)> Visit) const {
  const SourceManager &SM = Context->getSourceManager();
  bool Invalid = false;
  const StringRef Buffer = SM.getBufferData(Where.File, &Invalid);
  if (Invalid || Where.Begin >= Buffer.size())
    return;
  Lexer Raw(SM.getLocForStartOfFile(Where.File), Context->getLangOpts(), Buffer.begin(),
            Buffer.begin() + Where.Begin, Buffer.end());
  // A conditional's place is that of its `if`, behind the `#`.
  bool Directive = Buffer.take_front(Where.Begin).rtrim(" \t").ends_with("#");
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    const unsigned At = SM.getFileOffset(T.getLocation());
    if (T.is(tok::eof) || At > Where.End)
      return;
    if (T.isAtStartOfLine())
      Directive = T.is(tok::hash) || (Directive && At == Where.Begin);
    if (!Directive && !Visit(Buffer.substr(At, T.getLength()), T.is(tok::raw_identifier)))
      return;
  }
}

bool DependentNames::mentions(const Text &Where) const {
  bool Found = false;
  eachToken(Where, [&](StringRef Token, bool IsName) {
    Found = IsName && Names.contains(Token);
    return !Found;
  });
  return Found;
}

bool DependentNames::areMentionedBy(const Decl &D) const {
  Text Where;
  return !Names.empty() && place(writtenRange(D), Where) && mentions(Where);
}

void DependentNames::add(const Decl &D, SourceRange Range, StringRef Class) {
  Declaration Found;
  if (!place(Range, Found.Where))
    return;
  for (StringRef Name : {nameOf(D), Class})
    if (!Name.empty())
      Found.Names.push_back(Name);
  if (const auto *Enum = dyn_cast<EnumDecl>(&D))
    for (const EnumConstantDecl *Constant : Enum->enumerators())
      Found.Names.push_back(Constant->getName());
  if (!Found.Names.empty())
    Declarations.push_back(std::move(Found));
}

/// Class: of which D is a part that decides what it is.
void DependentNames::collect(const Decl &D, SourceRange Range, StringRef Class) {
  if (const auto *Template = dyn_cast<TemplateDecl>(&D); Template && Template->getTemplatedDecl())
    return collect(*Template->getTemplatedDecl(), Template->getSourceRange(), Class);
  if (const auto *Friend = dyn_cast<FriendDecl>(&D)) {
    if (const NamedDecl *Declared = Friend->getFriendDecl())
      collect(*Declared, Friend->getSourceRange(), "");
    return;
  }
  if (const auto *F = dyn_cast<FunctionDecl>(&D)) {
    // Bodies are looked at when somebody asks for the function, but for those of constants.
    const Stmt *Body = F->doesThisDeclarationHaveABody() ? F->getBody() : nullptr;
    if (Body && !F->isConstexprSpecified()) {
      Text Where;
      if (place(Body->getSourceRange(), Where))
        Bodies.push_back(Where);
      Range.setEnd(Body->getBeginLoc());
    }
    return add(D, Range, "");
  }
  if (const auto *Record = dyn_cast<CXXRecordDecl>(&D);
      Record && Record->isThisDeclarationADefinition()) {
    add(D, {Range.getBegin(), Record->getBraceRange().getBegin()}, Class);
    return collect(*Record, nameOf(D));
  }
  add(D, Range, Class);
}

void DependentNames::collect(const DeclContext &In, StringRef Class) {
  const SourceManager &SM = Context->getSourceManager();
  for (const Decl *D : In.noload_decls()) {
    const SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    if (D->isImplicit() || Loc.isInvalid() || D->isFromASTFile() ||
        (SM.isInSystemHeader(Loc) && isOfCompiler(SM.getFilename(Loc))))
      continue;
    if (const auto *Space = dyn_cast<NamespaceDecl>(D))
      Spaces.push_back(Space);
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D))
      collect(*cast<DeclContext>(D), Class);
    else
      collect(*D, D->getSourceRange(), Class);
  }
}

/// What stands there outside of braces and parentheses, and looks declared.
void DependentNames::addOtherSide(const Text &Conditional) {
  int Parentheses = 0, Braces = 0;
  bool Opens = false, Qualified = false; // a namespace; `::` before it
  StringRef Last;
  std::vector<bool> Transparent;
  eachToken(Conditional, [&](StringRef Token, bool IsName) {
    const bool Follows = Token == "=" || Token == "(" || Token == "<" || Token == "[" ||
                         Token == "{" || Token == ";" || Token == "," || Token == ":";
    if (Follows && !Last.empty() && !Last.starts_with("__") && !Parentheses && !Braces &&
        Context->Idents.get(Last).getTokenID() == tok::identifier)
      Names.insert(Last);
    Last = IsName && !Qualified ? Token : StringRef();
    Qualified = Token == "::";
    if (Token == "namespace" || Token == "extern")
      Opens = true;
    else if (Token == ";" || Token == "}")
      Opens = false;
    if (Token == "(" || Token == ")")
      Parentheses = std::max(0, Parentheses + (Token == "(" ? 1 : -1));
    if (Token == "{") {
      Transparent.push_back(Opens);
      Braces += !Opens;
      Opens = false;
    } else if (Token == "}" && !Transparent.empty()) {
      Braces -= !Transparent.back();
      Transparent.pop_back();
    }
    return true;
  });
}

/// Namespaces whose names are found without theirs on one side alone: by `using namespace`, or as
/// they are inline there.
void DependentNames::addOpened(const Text &Conditional) {
  StringRef Last;
  llvm::StringSet<> Used, Mentioned;
  bool Uses = false;
  eachToken(Conditional, [&](StringRef Token, bool IsName) {
    if (Token == "namespace" && Last == "using")
      Uses = true;
    else if (Token == ";")
      Uses = false;
    if (IsName && Uses)
      Used.insert(Token);
    if (IsName)
      Mentioned.insert(Token);
    Last = Token;
    return true;
  });
  for (const NamespaceDecl *Space : Spaces)
    if (Used.contains(nameOf(*Space)) || (Space->isInline() && Mentioned.contains(nameOf(*Space))))
      for (const Decl *D : Space->noload_decls())
        if (StringRef Name = nameOf(*D); !Name.empty())
          Names.insert(Name);
}

void DependentNames::find(ASTContext &In, llvm::ArrayRef<Text> Conditionals) {
  Context = &In;
  collect(*In.getTranslationUnitDecl(), "");
  for (const Declaration &D : Declarations)
    HaveLoads |= llvm::any_of(D.Names, isLoadFunction);
  for (const Text &C : Conditionals)
    if (llvm::none_of(Bodies, [&](const Text &Body) { return Body.contains(C); })) {
      addOtherSide(C);
      addOpened(C);
    }
  auto Add = [&](const Declaration &D) {
    for (StringRef Name : D.Names)
      Names.insert(Name);
  };
  llvm::erase_if(Declarations, [&](const Declaration &D) {
    const bool Touches = llvm::any_of(Conditionals, [&](const Text &C) {
      return C.File == D.Where.File && C.Begin <= D.Where.End && D.Where.Begin <= C.End;
    });
    if (Touches)
      Add(D);
    return Touches;
  });
  for (std::size_t Before = 0; Before != Names.size();) {
    Before = Names.size();
    llvm::erase_if(Declarations, [&](const Declaration &D) {
      const bool Depends = mentions(D.Where);
      if (Depends)
        Add(D);
      return Depends;
    });
  }
  HaveLoads |= llvm::any_of(Names.keys(), isLoadFunction);
  Declarations.clear();
  Bodies.clear();
  Spaces.clear();
}

} // namespace gpuinstr
