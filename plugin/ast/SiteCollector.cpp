// Describes the calls of the functions that the IR pass asks about.
// SPDX-License-Identifier: Apache-2.0
#include "ast/SiteCollector.h"

#include "api/CudaApi.h"
#include "ast/GivenKernel.h"
#include "ast/Naming.h"
#include "ast/nvcc/NvccCode.h"
#include "ast/source/HeldResult.h"
#include "ast/source/ReturnedVariable.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr unsigned ArgumentLimit = 80; ///< bytes
constexpr StringRef InitialiserSymbol = "__cxx_global_var_init";

/// The operation hands its result over through an address.
bool storesThroughAddress(const ApiEntry &Entry) {
  switch (Entry.Op) {
  case GPUINSTR_OP_ALLOC:
    return Entry.Resource != GPUINSTR_RES_REGISTERED && Entry.Resource != GPUINSTR_RES_MAPPING;
  case GPUINSTR_OP_CREATE:
  case GPUINSTR_OP_CAPTURE_END:
    return true;
  case GPUINSTR_OP_EXPORT:
    return Entry.Detail == 1;
  case GPUINSTR_OP_LIBRARY:
    return Entry.Detail == 1 || Entry.Detail == 3;
  default:
    return false;
  }
}

/// The class of the object as the program declared it, not the base that a cast leads to.
const CXXRecordDecl *objectClass(const Expr &Object) {
  QualType T = Object.IgnoreParenImpCasts()->getType();
  return T->isPointerType() ? T->getPointeeCXXRecordDecl() : T->getAsCXXRecordDecl();
}

/// The kernel whose address an argument is; null where it is another value.
const FunctionDecl *kernelIn(const Expr &Argument) {
  const Expr *E = Argument.IgnoreParenCasts();
  if (const auto *Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParenCasts();
  return dyn_cast_or_null<FunctionDecl>(E->getReferencedDeclOfCallee());
}

/// nvcc renames the parameters of the definition: __cuda_0 ...; the declaration has the user's.
std::string kernelParameterName(const ParmVarDecl &Param, const FunctionDecl &F) {
  const unsigned Index = Param.getFunctionScopeIndex();
  for (const FunctionDecl *D : F.redecls()) {
    StringRef Name = D->getParamDecl(Index)->getName();
    if (!Name.empty() && !Name.starts_with("__cuda_"))
      return Name.str();
  }
  return "";
}

} // namespace

SiteCollector::SiteCollector(CompilerInstance &CI, ASTContext &Context,
                             std::shared_ptr<ArchConditionals> Arch)
    : CI(CI), Context(Context), Arch(std::move(Arch)), Text(Context, CI.getCodeGenOpts()),
      Decls(Context), Origins(Context), Namer(Context, Text) {
  const SourceManager &SM = Context.getSourceManager();
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    Respelled = Main->getName().ends_with(".cudafe1.cpp");
}

void SiteCollector::describe(const std::string &Mangled, SiteTable &Table) {
  Into = &Table;
  Real.startFunction();
  Symbol = Mangled;
  if (StringRef(Mangled).starts_with(InitialiserSymbol)) {
    for (const VarDecl *V : Decls.variables()) {
      Function = "initializer of " + qualifiedName(*V, Context);
      Parameters.clear();
      Returned.clear();
      walkInitialiser(*V, *V->getInit());
    }
  }
  for (const FunctionDecl *F : Decls.find(Mangled)) {
    Function = qualifiedName(*F, Context);
    Parameters.clear();
    for (const ParmVarDecl *P : F->parameters())
      Parameters.push_back(parameterName(*P));
    Returned = returnedVariable(*F);
    Walked = F;
    walkFunction(*F);
  }
  Walked = nullptr;
  Into = nullptr;
}

FunctionOrigin SiteCollector::origin(const std::string &Symbol) {
  if (auto Known = CodeOrigin::ofSymbol(Symbol); Known && !Origins.mayBeProgramsStd(Symbol))
    return *Known;
  if (StringRef(Symbol).starts_with(InitialiserSymbol))
    return FunctionOrigin::User;
  auto Found = Decls.find(Symbol);
  // What has no declaration is the compiler's own: builtins, thunks, the personality routine.
  if (Found.empty())
    return FunctionOrigin::System;
  if (Respelled && SymbolToDecl::isKernel(*Found.front()))
    return FunctionOrigin::CudaHeader;
  return Origins.of(*Found.front());
}

std::string SiteCollector::functionName(const std::string &Symbol) {
  auto Found = Decls.find(Symbol);
  return Found.empty() ? "" : qualifiedName(*Found.front(), Context);
}

uint64_t SiteCollector::pointersToConst(const std::string &Symbol) {
  const auto Found = Decls.find(Symbol);
  if (Found.empty())
    return 0;
  uint64_t Bits = 0;
  for (const ParmVarDecl *P : Found.front()->parameters()) {
    if (!P->getType()->isScalarType())
      return 0; // it may be several arguments
    const QualType To = P->getType()->getPointeeType();
    const unsigned Index = P->getFunctionScopeIndex();
    if (!To.isNull() && To.isConstQualified() && !mayHoldPointers(To) && Index < 64)
      Bits |= uint64_t(1) << Index;
  }
  return Bits;
}

/// Iterators that point behind what they lead to, whatever is known of the code that they go
/// through.
static bool pointsBehind(QualType T) {
  return T->isRecordType() &&
         StringRef(T.getCanonicalType().getAsString()).contains("reverse_iterator<");
}

KernelDescription SiteCollector::describeKernel(const FunctionDecl &F, KernelAccess &Accesses) {
  KernelDescription K;
  K.StubSymbol = Decls.symbolOf(F);
  K.Name = qualifiedName(F, Context);
  Place P = Text.placeOf(F.getLocation());
  K.File = P.File;
  K.Line = P.Line;
  // The kernels of thrust and cub take functors of every depth: no time for those.
  KernelFacts Facts;
  if (Origins.of(F) == FunctionOrigin::User)
    Facts = Accesses.of(F);
  K.Flags = Facts.Flags;
  for (const ParmVarDecl *Param : F.parameters()) {
    ParamDescription D;
    QualType T = Param->getType();
    D.Name = kernelParameterName(*Param, F);
    D.Type = typeName(T, Context);
    // Of one that holds pointers where the runtime does not look, nobody knows what it is given.
    if (!T->isIncompleteType() && !(mayHoldPointers(T) && holdsUnalignedPointers(T)))
      D.Bytes = Context.getTypeSizeInChars(T.getNonReferenceType()).getQuantity();
    if (T->isAnyPointerType() || T->isReferenceType())
      D.Pointer = PointerKind::Pointer;
    else if (mayHoldPointers(T))
      D.Pointer = PointerKind::Aggregate;
    if (!Facts.Access.empty())
      D.Access = Facts.Access[Param->getFunctionScopeIndex()];
    else if (D.Pointer != PointerKind::None)
      D.Access = GPUINSTR_ACCESS_UNKNOWN;
    const uint8_t Before = pointsBehind(T) ? GPUINSTR_ACCESS_BEFORE : 0;
    D.Access |= Before;
    for (const KernelFacts::Member &Member : Facts.Members)
      if (Member.Parameter == Param->getFunctionScopeIndex() && D.Bytes)
        D.Members.push_back({static_cast<uint32_t>(Member.Offset), uint8_t(Member.Access | Before),
                             Member.IsNumber});
    K.Params.push_back(std::move(D));
  }
  return K;
}

std::vector<KernelDescription> SiteCollector::kernels() {
  if (Kernels)
    return *Kernels;
  std::vector<KernelDescription> Out;
  std::optional<NvccCode> Nvcc;
  if (Respelled)
    Nvcc.emplace(CI, Origins);
  KernelAccess Accesses(Context, Origins, Nvcc ? static_cast<DeviceCode *>(&*Nvcc) : Arch.get());
  for (const FunctionDecl *F : Decls.kernels())
    Out.push_back(describeKernel(*F, Accesses));
  Kernels = Out;
  return Out;
}

static bool isPointerToPointer(QualType T) {
  return T->isPointerType() && T->getPointeeType()->isPointerType();
}

/// Whether the callee may put an address where a parameter of Around's says: `out`, `&in`, `*out`,
/// where there are float **out, float *&in.
static bool fillsParameter(const Expr &Argument, const FunctionDecl &Around) {
  const Expr *E = Argument.IgnoreParenCasts();
  const bool IsPlace = Argument.isGLValue() && E->getType()->isPointerType();
  if (!IsPlace && !isPointerToPointer(E->getType()))
    return false;
  while (const auto *Operator = dyn_cast<UnaryOperator>(E)) {
    if (Operator->getOpcode() != UO_AddrOf && Operator->getOpcode() != UO_Deref)
      return false;
    E = Operator->getSubExpr()->IgnoreParenCasts();
  }
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  const auto *Parameter = Reference ? dyn_cast<ParmVarDecl>(Reference->getDecl()) : nullptr;
  if (!Parameter || Parameter->getDeclContext() != &Around)
    return false;
  const QualType T = Parameter->getType();
  return isPointerToPointer(T) ||
         (T->isLValueReferenceType() && T.getNonReferenceType()->isPointerType());
}

/// `p_2` or `&p_2` for what is spelled `p`: an argument that is one of a pack's; else empty.
static std::string packElement(const Expr &Argument) {
  const Expr *E = Argument.IgnoreParenCasts();
  const auto *Address = dyn_cast<UnaryOperator>(E);
  const bool IsAddress = Address && Address->getOpcode() == UO_AddrOf;
  const auto *Reference =
      dyn_cast<DeclRefExpr>(IsAddress ? Address->getSubExpr()->IgnoreParens() : E);
  const auto *Param = Reference ? dyn_cast<ParmVarDecl>(Reference->getDecl()) : nullptr;
  const std::string Name = Param ? parameterName(*Param) : "";
  return Param && Name != Param->getName() ? (IsAddress ? "&" : "") + Name : "";
}

/// `host` of `host.data()`, `host[i].x` and `host + n`, where that is a member of *this; else "".
static std::string firstMember(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (const auto *Sum = dyn_cast<BinaryOperator>(E);
        Sum && Sum->isAdditiveOp() && Sum->getLHS()->getType()->isPointerType())
      E = Sum->getLHS();
    else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E))
      E = Call->getImplicitObjectArgument();
    else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      E = Subscript->getBase();
    else if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      E = Member->getBase();
      if (isa<CXXThisExpr>(E->IgnoreParenCasts()))
        return Member->getMemberDecl()->getNameAsString();
    } else
      return "";
  }
}

void SiteCollector::addArguments(const Expr *const *Arguments, unsigned Count, CallDescription &D) {
  for (unsigned I = 0; I < Count && !isa<CXXDefaultArgExpr>(Arguments[I]); ++I) {
    D.Members.push_back(firstMember(Arguments[I]));
    const std::string Element = packElement(*Arguments[I]);
    D.Arguments.push_back(Element.empty() ? shortened(Text.spelled(Arguments[I]), ArgumentLimit)
                                          : Element);
    D.FillsParameter |= Walked && fillsParameter(*Arguments[I], *Walked);
  }
}

void SiteCollector::describeApiCall(const CallExpr &Call, const FunctionDecl &Callee,
                                    CallDescription &D) {
  const ApiEntry *Entry = findApiEntry(D.Callee, Callee.getNumParams());
  const int Func =
      Entry && Entry->Op == GPUINSTR_OP_LAUNCH ? Entry->parameterOf(GPUINSTR_SLOT_FUNC) : -1;
  if (Func >= 0 && static_cast<unsigned>(Func) < Call.getNumArgs() && Walked)
    if (const FunctionDecl *Kernel = kernelIn(*Call.getArg(Func)))
      D.KernelIsGiven = isGivenKernel(*Kernel, *Walked);
  // A copy that is added to a graph is named by where it copies to.
  bool IsNode =
      Entry && Entry->Op == GPUINSTR_OP_GRAPH_NODE && Entry->parameterOf(GPUINSTR_SLOT_ARGS) >= 0;
  // Of a copy that is described by a struct, the struct's name is all there is.
  bool IsStruct = Entry && Entry->Op == GPUINSTR_OP_COPY_3D;
  unsigned Slot = IsNode ? GPUINSTR_SLOT_ARGS : IsStruct ? GPUINSTR_SLOT_PARAMS : GPUINSTR_SLOT_DST;
  int Param = Entry ? Entry->parameterOf(Slot) : -1;
  if (Param < 0 || static_cast<unsigned>(Param) >= Call.getNumArgs())
    return;
  const Expr *Argument = Call.getArg(Param);
  Destination To = IsStruct || storesThroughAddress(*Entry) ? Namer.behindAddress(Argument)
                                                            : Namer.ofPointer(Argument);
  D.Variable = To.Variable;
  D.Type = IsStruct ? "" : To.Type;
  if (Entry->Op >= GPUINSTR_OP_COPY && Entry->Op <= GPUINSTR_OP_SET_2D)
    D.ReceivesResult =
        !Returned.empty() && Returned == StringRef(D.Variable).take_while([](char C) {
          return isAsciiIdentifierContinue(C);
        });
}

/// For a call of the program's own functions: what the value goes to, if it is no member of the
/// object's, else the first argument that is the address of a pointer, else the object.
void SiteCollector::setCallerVariable(const Expr *const *Arguments, unsigned Count,
                                      const CallFound &C, CallDescription &D) {
  const auto *Member = dyn_cast<CXXMemberCallExpr>(C.Call);
  Destination To;
  D.ReturnsHeld = Member && Member->getMethodDecl() && returnsHeld(*Member->getMethodDecl());
  if (!D.ReturnsHeld)
    To = Namer.ofUse(C.Use);
  D.ReceivesResult = !To.Variable.empty();
  D.ReceivesNew = D.ReceivesResult && C.Use.IsNew;
  for (unsigned I = 0; I < Count && To.Variable.empty(); ++I) {
    QualType T = Arguments[I]->getType();
    if (T->isPointerType() && T->getPointeeType()->isPointerType())
      To = Namer.behindAddress(Arguments[I]);
  }
  if (Member && To.Variable.empty()) {
    const Expr *Object = Member->getImplicitObjectArgument();
    To.Variable = Namer.path(Object);
    // The own object, also as what a base class knows it to be.
    D.IsOwnObject = To.Variable == "this" || To.Variable == "*this";
    if (D.IsOwnObject)
      To.Variable.clear();
    D.IsBehindPointer = !To.Variable.empty() && Object->getType()->isPointerType();
  }
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C.Call);
      Operator && To.Variable.empty() &&
      isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()) &&
      Operator->getOperator() != OO_Call)
    To.Variable = Namer.path(Operator->getArg(0));
  D.Variable = To.Variable;
  D.Type = To.Type;
}

bool SiteCollector::describeCall(const CallExpr &Call, const CallFound &C, CallDescription &D) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee) {
    D.Callee = shortened(Text.spelled(Call.getCallee()), ArgumentLimit);
    addArguments(Call.getArgs(), Call.getNumArgs(), D);
    if (!C.Launch)
      setCallerVariable(Call.getArgs(), Call.getNumArgs(), C, D);
    return true;
  }
  const FunctionOrigin Origin = Origins.of(*Callee);
  const IdentifierInfo *Name = Callee->getIdentifier();
  // The program's own cudaMallocAndCopy() is none for its name.
  const bool OwnName = Name && Origin == FunctionOrigin::User && !findApiEntry(Name->getName());
  const bool EntryPoint = Name && !OwnName && CodeOrigin::isEntryPoint(Name->getName()) &&
                          Callee->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
                          Origin != FunctionOrigin::CudaLibrary && !C.Launch;
  if (!EntryPoint && !CodeOrigin::makesPointer(*Callee) &&
      (Origin == FunctionOrigin::System || Origin == FunctionOrigin::CudaHeader))
    return false;
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  const auto *Member = dyn_cast<MemberExpr>(Call.getCallee()->IgnoreParenImpCasts());
  const bool Virtual = Method && Method->isVirtual() && !(Member && Member->hasQualifier());
  D.CalleeSymbol = Virtual ? "" : Decls.symbolOf(*Callee);
  D.Callee = calleeName(*Callee, Context);
  if (Origin == FunctionOrigin::CudaLibrary && !C.Launch) {
    const auto *MemberCall = dyn_cast<CXXMemberCallExpr>(&Call);
    D.Callee = libraryCalleeName(
        *Callee, MemberCall ? objectClass(*MemberCall->getImplicitObjectArgument()) : nullptr,
        Context);
  }
  const bool Operator = isa<CXXOperatorCallExpr>(Call) && Method;
  addArguments(Call.getArgs() + Operator, Call.getNumArgs() - Operator, D);
  if (C.Launch) {
    D.KernelIsGiven = Walked && isGivenKernel(*Callee, *Walked);
    return true;
  }
  if (EntryPoint)
    describeApiCall(Call, *Callee, D);
  else
    setCallerVariable(Call.getArgs(), Call.getNumArgs(), C, D);
  D.ReceivesNew |= D.ReceivesResult && CodeOrigin::makesPointer(*Callee);
  return true;
}

bool SiteCollector::describeConstructor(const CXXConstructExpr &Call, const CallFound &C,
                                        CallDescription &D) {
  const CXXConstructorDecl *Callee = Call.getConstructor();
  const FunctionOrigin Origin = Origins.of(*Callee);
  if (Callee->isTrivial() || Origin == FunctionOrigin::System ||
      Origin == FunctionOrigin::CudaHeader)
    return false;
  D.CalleeSymbol = Decls.symbolOf(*Callee, C.Base);
  D.Callee = calleeName(*Callee, Context);
  addArguments(Call.getArgs(), Call.getNumArgs(), D);
  setCallerVariable(Call.getArgs(), Call.getNumArgs(), C, D);
  D.IsOwnObject = C.Base && D.Variable.empty();
  D.Discarded = false; // a constructor has no result
  return true;
}

bool SiteCollector::describeNewOrDelete(const Expr &E, const CallFound &C, CallDescription &D) {
  const FunctionDecl *Callee = nullptr;
  Destination To;
  if (const auto *New = dyn_cast<CXXNewExpr>(&E)) {
    Callee = New->getOperatorNew();
    To = Namer.ofUse(C.Use);
    D.ReceivesResult = !To.Variable.empty();
  } else {
    const auto &Delete = cast<CXXDeleteExpr>(E);
    const QualType T = Delete.getDestroyedType();
    const CXXRecordDecl *Class = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
    Callee = Class && Class->hasDefinition() ? Class->getDestructor() : nullptr;
    To = Namer.ofPointer(Delete.getArgument());
    D.IsBehindPointer = true;
  }
  if (!Callee || Callee->isTrivial() || Origins.of(*Callee) != FunctionOrigin::User)
    return false;
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  D.CalleeSymbol = Method && Method->isVirtual() ? "" : Decls.symbolOf(*Callee);
  D.Callee = calleeName(*Callee, Context);
  D.Variable = To.Variable;
  D.Type = To.Type;
  D.Discarded = false;
  return true;
}

/// cudafe++ keeps lines but neither columns nor spelling.
void SiteCollector::restoreNvccSource(const CallFound &C, CallDescription &D) {
  D.Column = 0;
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(C.Loc));
  if (P.isInvalid() || D.FromSystemHeader)
    return;
  auto Call = Real.take(Text.lines(P.getFilename()), P.getFilename(), P.getLine(), D.Callee,
                        D.IsLaunch, D.Arguments);
  if (!Call)
    return;
  D.Line = Call->Line;
  D.Column = Call->Column;
  if (D.Ignore.empty())
    D.Ignore = Text.ignored(P.getFilename(), D.Line, D.Line);
  D.Arguments = std::move(Call->Arguments);
  for (std::string &Argument : D.Arguments)
    Argument = shortened(std::move(Argument), ArgumentLimit);
}

void SiteCollector::found(const CallFound &C) {
  CallDescription D;
  D.Discarded = C.Use.Discarded && !C.Call->getType()->isVoidType();
  D.IsLaunch = C.Launch;
  bool Wanted = false;
  if (const auto *Call = dyn_cast<CallExpr>(C.Call))
    Wanted = describeCall(*Call, C, D);
  else if (const auto *Construct = dyn_cast<CXXConstructExpr>(C.Call))
    Wanted = describeConstructor(*Construct, C, D);
  else
    Wanted = describeNewOrDelete(*C.Call, C, D);
  if (!Wanted)
    return;
  D.Mangled = Symbol;
  D.Function = Function;
  D.Parameters = Parameters;
  D.FromSystemHeader = Origins.ofLocation(C.Loc) != FunctionOrigin::User;
  Place P = Text.placeOf(C.Loc);
  D.File = P.File;
  D.Line = P.Line;
  D.Column = P.Column;
  D.Ignore = Text.ignored(C.Call->getBeginLoc(), C.Call->getEndLoc());
  if (Respelled)
    restoreNvccSource(C, D);
  Into->add(std::move(D), P.Line, P.Column);
}

} // namespace gpuinstr
