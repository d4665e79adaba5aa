// Maps a mangled symbol of the module to its declaration, without walking the unit.
// SPDX-License-Identifier: Apache-2.0
#include "ast/SymbolToDecl.h"
#include "ast/Naming.h"

#include "SiteTable.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// `B@module` without the module that owns it.
std::string withoutModule(StringRef Name) { return Name.split('@').first.str(); }

/// Splits `a::B@module<c::D>::e` into a, B, e; drops template arguments and owning modules.
std::vector<std::string> scopesOf(StringRef Qualified) {
  std::vector<std::string> Parts(1);
  int Depth = 0;
  for (std::size_t I = 0; I < Qualified.size(); ++I) {
    const char C = Qualified[I];
    if (C == '(' && !Depth && Qualified.substr(I).consume_front("(anonymous namespace)")) {
      Parts.back() = "(anonymous namespace)";
      I += sizeof("(anonymous namespace)") - 2;
    } else if (C == '<' || C == '(' || C == '[' || C == '{') {
      ++Depth;
    } else if (C == '>' || C == ')' || C == ']' || C == '}') {
      --Depth;
    } else if (!Depth && C == ':' && Qualified.substr(I).starts_with("::")) {
      Parts.emplace_back();
      ++I;
    } else if (!Depth) {
      Parts.back() += C;
    }
  }
  for (std::string &Part : Parts)
    Part = withoutModule(Part);
  return Parts;
}

/// What nvcc calls the unit's anonymous namespaces, which demanglers do not tell. Digits before its
/// length may end another name: each number that they can be read as.
llvm::SmallVector<StringRef, 2> nvccAnonymous(StringRef Symbol) {
  llvm::SmallVector<StringRef, 2> Names;
  const std::size_t At = Symbol.find(NvccAnonymous);
  unsigned Length = 0;
  for (std::size_t I = At; At != StringRef::npos && I && isDigit(Symbol[I - 1]); --I)
    if (!Symbol.slice(I - 1, At).getAsInteger(10, Length) && Length <= Symbol.size() - At)
      Names.push_back(Symbol.substr(At, Length));
  return Names;
}

std::string textOf(char *Malloced) {
  std::string Text = Malloced ? Malloced : "";
  std::free(Malloced);
  return Text;
}

void enterScope(const NamedDecl *D, llvm::SmallVectorImpl<const DeclContext *> &Out) {
  if (const auto *Space = dyn_cast<NamespaceDecl>(D)) {
    Out.push_back(Space);
  } else if (const auto *Alias = dyn_cast<NamespaceAliasDecl>(D)) {
    Out.push_back(Alias->getNamespace());
  } else if (const auto *Template = dyn_cast<ClassTemplateDecl>(D)) {
    for (const ClassTemplateSpecializationDecl *Spec : Template->specializations())
      if (const CXXRecordDecl *Definition = Spec->getDefinition())
        Out.push_back(Definition);
  } else if (const auto *Record = dyn_cast<CXXRecordDecl>(D)) {
    if (const CXXRecordDecl *Definition = Record->getDefinition())
      Out.push_back(Definition);
  }
}

bool demangles(StringRef Symbol) {
  llvm::ItaniumPartialDemangler Demangler;
  return !Demangler.partialDemangle(Symbol.str().c_str());
}

bool hasOnlyNamedParts(StringRef Symbol) {
  return Symbol.starts_with("_Z") && !Symbol.starts_with("_ZZ") && !Symbol.contains("$_") &&
         !Symbol.contains("Ul") && !Symbol.contains("Ut");
}

} // namespace

SymbolToDecl::SymbolToDecl(ASTContext &Context)
    : Context(Context), Mangler(Context.createMangleContext()) {}
SymbolToDecl::~SymbolToDecl() = default;

void SymbolToDecl::note(Decl *D) { Noted.push_back(D); }

std::string SymbolToDecl::mangled(GlobalDecl GD) {
  const auto *D = cast<NamedDecl>(GD.getDecl());
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (Mangler->shouldMangleDeclName(D)) {
    Mangler->mangleName(GD, OS);
  } else if (const IdentifierInfo *Name = D->getIdentifier()) {
    if (D->hasAttr<CUDAGlobalAttr>() && GD.getKernelReferenceKind() == KernelReferenceKind::Stub)
      OS << "__device_stub__";
    OS << Name->getName();
  }
  return std::move(OS.str());
}

std::string SymbolToDecl::symbolOf(const FunctionDecl &F, bool Base) {
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    return mangled(GlobalDecl(Constructor, Base ? Ctor_Base : Ctor_Complete));
  if (const auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
    return mangled(GlobalDecl(Destructor, Base ? Dtor_Base : Dtor_Complete));
  if (F.hasAttr<CUDAGlobalAttr>())
    return mangled(GlobalDecl(&F, KernelReferenceKind::Stub));
  return mangled(GlobalDecl(&F));
}

void SymbolToDecl::remember(const FunctionDecl *F) {
  if (F->isDependentContext() || isa<CXXDeductionGuideDecl>(F) ||
      !Known.insert(F->getCanonicalDecl()).second)
    return;
  const FunctionDecl *Definition = F->getDefinition();
  BySymbol[normalisedSymbol(symbolOf(*F))].push_back(Definition ? Definition : F);
}

void SymbolToDecl::rememberAll(const NamedDecl *D) {
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    remember(F);
  else if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
    for (const FunctionDecl *F : Template->specializations())
      remember(F);
  else if (const auto *Shadow = dyn_cast<UsingShadowDecl>(D))
    rememberAll(Shadow->getTargetDecl());
}

bool SymbolToDecl::isKernel(const FunctionDecl &F) {
  if (F.isDependentContext())
    return false;
  if (F.hasAttr<CUDAGlobalAttr>())
    return F.isDefined();
  if (F.getASTContext().getLangOpts().CUDA || !F.doesThisDeclarationHaveABody())
    return false;
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  const auto *First =
      Body && !Body->body_empty() ? dyn_cast<CallExpr>(*Body->body_begin()) : nullptr;
  const FunctionDecl *Callee = First ? First->getDirectCallee() : nullptr;
  const IdentifierInfo *Name = Callee ? Callee->getIdentifier() : nullptr;
  const IdentifierInfo *Own = F.getIdentifier();
  return Name && Own && !Own->getName().contains("__device_stub_") &&
         (Name->getName().starts_with("__device_stub_") ||
          Name->getName().starts_with("__wrapper__device_stub_"));
}

/// Lambdas and local classes in S, not those inside of them: they are found through their own
/// enclosing symbol.
void SymbolToDecl::rememberLocals(const Stmt *S) {
  if (!S)
    return;
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    const CXXRecordDecl *Closure = Lambda->getLambdaClass();
    for (const Decl *D : Closure->decls())
      if (const auto *Named = dyn_cast<NamedDecl>(D))
        rememberAll(Named);
    for (const Expr *Capture : Lambda->capture_inits())
      rememberLocals(Capture);
    return;
  }
  if (const auto *Declarations = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declarations->decls())
      if (const auto *Record = dyn_cast<CXXRecordDecl>(D))
        for (const Decl *Member : Record->decls())
          if (const auto *Named = dyn_cast<NamedDecl>(Member))
            rememberAll(Named);
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    rememberLocals(Default->getExpr());
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    rememberLocals(Default->getExpr());
  for (const Stmt *Child : S->children())
    rememberLocals(Child);
}

void SymbolToDecl::rememberLocalsOf(const FunctionDecl &F) {
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = F.getBody(Definition);
  if (!Body || !WalkedForLocals.insert(Definition).second)
    return;
  rememberLocals(Body);
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      rememberLocals(Init->getInit());
  for (const ParmVarDecl *P : Definition->parameters())
    if (P->hasDefaultArg() && !P->hasUninstantiatedDefaultArg() && !P->hasUnparsedDefaultArg())
      rememberLocals(P->getDefaultArg());
}

void SymbolToDecl::findPlain(StringRef Name) {
  const IdentifierInfo &Identifier = Context.Idents.get(Name);
  for (const NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Identifier))
    rememberAll(D);
  for (const NamedDecl *D : Context.getExternCContextDecl()->lookup(&Identifier))
    rememberAll(D);
}

SymbolToDecl::Contexts SymbolToDecl::contextsOf(const std::vector<std::string> &Scopes,
                                                StringRef Symbol) {
  Contexts Found = {Context.getTranslationUnitDecl()};
  for (const std::string &Scope : Scopes) {
    Contexts Inner;
    for (const DeclContext *Outer : Found) {
      if (Scope == "(anonymous namespace)") {
        const NamespaceDecl *Space = nullptr;
        if (const auto *Unit = dyn_cast<TranslationUnitDecl>(Outer))
          Space = Unit->getAnonymousNamespace();
        else if (const auto *Named = dyn_cast<NamespaceDecl>(Outer))
          Space = Named->getAnonymousNamespace();
        if (Space)
          Inner.push_back(Space);
        for (StringRef Name : nvccAnonymous(Symbol))
          for (const NamedDecl *D : Outer->lookup(&Context.Idents.get(Name)))
            enterScope(D, Inner);
        continue;
      }
      for (const NamedDecl *D : Outer->lookup(&Context.Idents.get(Scope)))
        enterScope(D, Inner);
    }
    Found = std::move(Inner);
  }
  return Found;
}

/// Operators, conversions, constructors and destructors have no identifier.
void SymbolToDecl::rememberUnnamed(const DeclContext &Scope, StringRef Base) {
  if (const auto *Record = dyn_cast<CXXRecordDecl>(&Scope)) {
    for (const Decl *D : Record->decls())
      if (const auto *Member = dyn_cast<NamedDecl>(D); Member && !Member->getIdentifier())
        rememberAll(Member);
    return;
  }
  for (int Kind = OO_None + 1; Kind < NUM_OVERLOADED_OPERATORS; ++Kind) {
    const auto Operator = static_cast<OverloadedOperatorKind>(Kind);
    const char *Spelling = getOperatorSpelling(Operator);
    if (!Spelling || !Base.ends_with(Spelling))
      continue;
    for (const NamedDecl *D : Scope.lookup(Context.DeclarationNames.getCXXOperatorName(Operator)))
      rememberAll(D);
  }
}

void SymbolToDecl::findNamed(StringRef Symbol) {
  const std::string Input = Symbol.str(); // the demangler keeps pointing into it
  llvm::ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Input.c_str()) || !Demangler.isFunction())
    return;
  std::size_t Size = 0;
  std::vector<std::string> Scopes =
      scopesOf(textOf(Demangler.getFunctionDeclContextName(nullptr, &Size)));
  std::string Base = withoutModule(textOf(Demangler.getFunctionBaseName(nullptr, &Size)));
  if (Scopes.size() == 1 && Scopes[0].empty())
    Scopes.clear();
  StringRef Name = StringRef(Base).split("[abi").first.split('<').first;
  Name.consume_front("__device_stub__");
  const bool Unnamed = Base.empty() || !(isAsciiIdentifierStart(Base[0])) ||
                       StringRef(Base).starts_with("operator") ||
                       (!Scopes.empty() && Scopes.back() == Name);
  for (const DeclContext *Scope : contextsOf(Scopes, Symbol)) {
    for (const NamedDecl *D : Scope->lookup(&Context.Idents.get(Name)))
      rememberAll(D);
    if (Unnamed)
      rememberUnnamed(*Scope, Base);
  }
}

/// `_ZZ <encoding> E <entity>`: the entity is local to the function that the encoding names.
void SymbolToDecl::findLocal(StringRef Symbol) {
  std::size_t Start = 2;
  while (Start < Symbol.size() && Symbol[Start] != 'Z' &&
         (Symbol[Start] == 'N' || Symbol[Start] == 'K' || Symbol[Start] == 'T'))
    ++Start;
  if (Start >= Symbol.size() || Symbol[Start] != 'Z')
    return;
  const bool Readable = demangles(Symbol);
  // The entity behind is the shorter part, and a wrong split hardly ever is a symbol: from the end,
  // few are tried, which nested lambdas need.
  for (std::size_t End = Symbol.rfind('E'); End != StringRef::npos && End >= Start + 2;
       End = Symbol.rfind('E', End)) {
    const std::string Outer = ("_Z" + Symbol.slice(Start + 1, End)).str();
    if (Readable && !demangles(Outer))
      continue;
    Functions Around = find(Outer);
    if (Around.empty()) { // main and extern "C" functions are spelled by their bare name
      StringRef Name = StringRef(Outer).drop_front(2);
      unsigned Length = 0;
      if (!Name.consumeInteger(10, Length) && Name.size() == Length)
        Around = find(Name);
    }
    for (const FunctionDecl *F : Around)
      rememberLocalsOf(*F);
    if (BySymbol.contains(normalisedSymbol(Symbol.str())))
      return;
  }
}

void SymbolToDecl::walkNoted() {
  if (NotedWalked)
    return;
  NotedWalked = true;
  const SourceManager &SM = Context.getSourceManager();
  std::vector<const Decl *> Open(Noted.rbegin(), Noted.rend());
  while (!Open.empty()) {
    const Decl *D = Open.back();
    Open.pop_back();
    if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      if (isKernel(*F))
        Kernels.push_back(F);
      continue;
    }
    if (const auto *V = dyn_cast<VarDecl>(D)) {
      if (V->hasInit() && !V->getDeclContext()->isDependentContext() &&
          !V->getInit()->isValueDependent() && !SM.isInSystemHeader(V->getLocation())) {
        Variables.push_back(V);
        rememberLocals(V->getInit());
      }
      continue;
    }
    if (const auto *Field = dyn_cast<FieldDecl>(D)) {
      if (Field->hasInClassInitializer())
        rememberLocals(Field->getInClassInitializer());
      continue;
    }
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D)) {
      for (const FunctionDecl *F : Template->specializations())
        Open.push_back(F);
      continue;
    }
    const bool Descend = isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D) ||
                         (isa<CXXRecordDecl>(D) && !SM.isInSystemHeader(D->getLocation()));
    if (const auto *Scope = dyn_cast<DeclContext>(D); Scope && Descend) {
      std::vector<const Decl *> Members(Scope->noload_decls_begin(), Scope->noload_decls_end());
      Open.insert(Open.end(), Members.rbegin(), Members.rend());
    }
  }
  llvm::DenseSet<const Decl *> Seen;
  llvm::erase_if(Kernels,
                 [&](const FunctionDecl *F) { return !Seen.insert(F->getCanonicalDecl()).second; });
  llvm::erase_if(Variables, [&](const VarDecl *V) { return !Seen.insert(V).second; });
}

const std::vector<const VarDecl *> &SymbolToDecl::variables() {
  walkNoted();
  return Variables;
}

const std::vector<const FunctionDecl *> &SymbolToDecl::kernels() {
  walkNoted();
  return Kernels;
}

SymbolToDecl::Functions SymbolToDecl::lookUp(StringRef Symbol) {
  const std::string Key = normalisedSymbol(Symbol.str());
  if (auto Found = BySymbol.find(Key); Found != BySymbol.end())
    return Found->second;
  if (!Symbol.starts_with("_Z"))
    findPlain(Symbol.starts_with("__device_stub__") ? Symbol.substr(15) : Symbol);
  else
    findNamed(Symbol);
  if (Symbol.starts_with("_Z") && !BySymbol.contains(Key))
    findLocal(Symbol);
  if (!BySymbol.contains(Key) && !hasOnlyNamedParts(Symbol))
    walkNoted();
  return BySymbol.lookup(Key);
}

SymbolToDecl::Functions SymbolToDecl::find(StringRef Symbol) {
  Symbol.consume_front("\1");
  if (auto Known = Answers.find(Symbol); Known != Answers.end())
    return Known->second;
  Functions Found = lookUp(Symbol);
  if (std::size_t Dot = Symbol.find('.', 1); Found.empty() && Dot != StringRef::npos)
    Found = lookUp(Symbol.take_front(Dot));
  Answers[Symbol] = Found;
  return Found;
}

} // namespace gpuinstr
