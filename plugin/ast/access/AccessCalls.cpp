// Calls in device code: their effect on the memory that their arguments lead to.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/AccessWalker.h"
#include "ast/access/BlockCollectives.h"
#include "ast/access/KernelAccess.h"
#include "ast/access/KnownFunctions.h"
#include "ast/access/library/LibraryClasses.h"
#include "ast/access/library/LibraryFunctions.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
using namespace access;

namespace {

/// What CUDA's device functions do through their first two pointer arguments. Their bodies are
/// builtins or assembly, or not there.
struct KnownFunction {
  llvm::StringLiteral Name;
  uint8_t First, Second;
  bool ReturnsFirst; ///< the result points where the first argument does
};

constexpr uint8_t Exposed = Unknown | Escape;

constexpr KnownFunction KnownFunctions[] = {
    {"__ldg", Read, 0, false},
    {"__ldca", Read, 0, false},
    {"__ldcg", Read, 0, false},
    {"__ldcs", Read, 0, false},
    {"__ldcv", Read, 0, false},
    {"__ldlu", Read, 0, false},
    {"__stcg", Write, 0, false},
    {"__stcs", Write, 0, false},
    {"__stwb", Write, 0, false},
    {"__stwt", Write, 0, false},
    {"sincos", Write, Write, false},
    {"sincosf", Write, Write, false},
    {"sincospi", Write, Write, false},
    {"sincospif", Write, Write, false},
    {"__sincosf", Write, Write, false},
    {"modf", Write, 0, false},
    {"modff", Write, 0, false},
    {"frexp", Write, 0, false},
    {"frexpf", Write, 0, false},
    {"remquo", Write, 0, false},
    {"remquof", Write, 0, false},
    {"nan", Read, 0, false},
    {"nanf", Read, 0, false},
    {"__builtin_nan", Read, 0, false},
    {"__builtin_nanf", Read, 0, false},
    {"norm", Read, 0, false},
    {"normf", Read, 0, false},
    {"rnorm", Read, 0, false},
    {"rnormf", Read, 0, false},
    {"printf", Read, Read, false},
    {"__assert_fail", 0, 0, false},
    {"__assertfail", 0, 0, false},
    {"__builtin_assume_aligned", 0, 0, true},
    {"__cvta_generic_to_shared", Exposed, 0, false},
    {"__isGlobal", 0, 0, false},
    {"__isShared", 0, 0, false},
};

const KnownFunction *findKnown(StringRef Name) {
  static const KnownFunction Atomic = {"atomic*", Read | Write, 0, false};
  if (Name.starts_with("atomic"))
    return &Atomic;
  for (const KnownFunction &Known : KnownFunctions)
    if (Known.Name == Name)
      return &Known;
  static const KnownFunction Texture = {"tex*", Write, Write, false};
  return isTextureFunction(Name) ? &Texture : nullptr;
}

/// Bytes that are copied or set: pointers among them are lost from sight.
bool isCopy(StringRef Name) {
  Name.consume_front("__builtin_");
  return Name == "memcpy" || Name == "memmove" || Name == "memset" ||
         Name == "__pipeline_memcpy_async";
}

/// Of the memory that a copy gets, where it is known to hold pointers; null else.
QualType copiedPointers(const Expr &Argument) {
  QualType Given = Argument.IgnoreParenImpCasts()->getType();
  if (Given->isPointerType())
    Given = Given->getPointeeType();
  else if (!Given->isArrayType())
    return {};
  return mayHoldPointers(Given) ? Given : QualType();
}

/// To an object of any type.
bool leadsAnywhere(const Expr &Argument) {
  return Argument.IgnoreParenImpCasts()->getType()->isVoidPointerType();
}

/// Of pairs with a pointer there are atomics, too.
bool movesPointers(const CallExpr &E) {
  return mayHoldPointers(E.getType()) && !E.getType()->isPointerType();
}

/// The address of an object is one of the pointers among its bytes.
bool leadsToPointers(QualType T) {
  if (!T->isPointerType() && !T->isReferenceType())
    return mayHoldPointers(T);
  return T->getPointeeType()->isVoidType() || T->getPointeeType()->isRecordType() ||
         mayHoldPointers(T->getPointeeType());
}

bool leadsToMemory(const Expr *Argument) {
  return Argument->isGLValue() || mayHoldPointers(Argument->getType());
}

bool carriesAny(const Passed &Argument) { return Argument.Number; }

/// Of nothing but numbers: `__cvta_global_to_generic`.
bool makesPointers(const FunctionDecl &F) {
  return F.getReturnType()->isPointerType() && !isa<CXXMethodDecl>(F) && F.getIdentifier() &&
         F.getName() != "malloc" &&
         llvm::none_of(F.parameters(), [](auto *P) { return mayHoldPointers(P->getType()); });
}

} // namespace

Passed AccessWalker::passed(const Expr *Argument) {
  const bool Number = carriesAddress(*Argument, Whole.context());
  if (Argument->isGLValue()) {
    Passed P = passedObject(place(Argument), Argument->getType());
    P.Number |= Number;
    if (!P.Parts)
      P.Parts = fieldsOf(Argument);
    return P;
  }
  // `&object` is as good as a reference: nothing else learns the address.
  const Expr *Bare = Argument->IgnoreParenImpCasts();
  const auto *Unary = dyn_cast<UnaryOperator>(Bare);
  if (Unary && Unary->getOpcode() == UO_AddrOf && Unary->getSubExpr()->isGLValue())
    return passedObject(place(Unary->getSubExpr()), Unary->getSubExpr()->getType());
  Passed P;
  if (Argument->getType()->isPointerType()) {
    const Location L = pointee(Argument);
    P.Memory = L.Memory;
    P.Parts = fieldsAt(L, Argument->getType()->getPointeeType());
  } else {
    P.Memory = value(Argument);
    P.Parts = fieldsOf(Argument);
  }
  P.Loads = true;
  P.Number = Number;
  const QualType Given = Argument->IgnoreParenCasts()->getType();
  if (Given->isPointerType())
    leadsTo(P, Given->getPointeeType());
  else if (Given->isArrayType())
    leadsTo(P, Given);
  return P;
}

Roots AccessWalker::applyUnseen(llvm::ArrayRef<Passed> Arguments) {
  Roots All = 0;
  for (const Passed &A : Arguments)
    All |= A.Memory | A.Behind;
  flagUnseen(All, Unknown | Escape);
  return All;
}

/// With nothing in its hands but what is the block's own, and values that it reads.
bool AccessWalker::applyCollective(const FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments) {
  auto IsRead = [&](unsigned I) {
    return I < Callee.getNumParams() && collectiveOnlyReads(*Callee.getParamDecl(I), Callee) &&
           !mayHoldPointers(Callee.getParamDecl(I)->getType().getNonReferenceType());
  };
  auto Through = [&](unsigned I) {
    return I < Callee.getNumParams() ? collectiveAccess(*Callee.getParamDecl(I), Callee) : 0;
  };
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if ((Arguments[I].Memory | Arguments[I].Behind) && !IsRead(I) && !Through(I))
      return false;
  if (!isBlockCollective(Callee, Whole))
    return false;
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    const bool Keeps = I < Callee.getNumParams() && isScratch(*Callee.getParamDecl(I));
    const uint8_t Access = Through(I);
    flag(Arguments[I].Memory, Access ? Access : Keeps ? Read | Write | Escape : Read);
  }
  return true;
}

Roots AccessWalker::apply(const FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments,
                          bool Regular) {
  if (applyCollective(Callee, Arguments))
    return 0;
  if (const std::optional<Roots> Result = applyLibrary(Callee, Arguments, Regular))
    return *Result;
  llvm::SmallVector<Passed, 8> WithMembers;
  const AccessSummary *Known = nullptr;
  if (const uint32_t Which = worthSplitting(Callee, Arguments)) {
    const MemberRoots *Split = nullptr;
    Known = Whole.splitSummary(Callee, Which, Split);
    if (Known) {
      WithMembers.append(Arguments.begin(), Arguments.end());
      WithMembers.resize(Callee.getNumParams() + 1); // the object
      for (const MemberRoot &Member : Split->all()) {
        WithMembers.emplace_back();
        WithMembers.back().Memory =
            Arguments[Member.Parameter].Parts->at(Member.Offset, PointerBytes);
        WithMembers.back().Loads = true;
        if (const QualType To = Member.Type->getPointeeType(); !To.isNull())
          leadsTo(WithMembers.back(), To);
      }
      Arguments = WithMembers;
    }
  }
  if (!Known)
    Known = Whole.summary(Callee);
  if (!Known || hasFewRoots(Callee) || Arguments.size() > MaxRootedParameters) {
    // The system's functions take addresses as pointers.
    if ((!Whole.isSystem(Callee.getLocation()) || makesPointers(Callee)) &&
        llvm::any_of(Arguments, carriesAny))
      forge();
    return applyUnseen(Arguments);
  }

  auto BehindOf = [&](const Passed &A) { return A.Behind | (A.Loads ? next(A.Memory) : 0); };
  // The callee's roots in terms of this function's.
  auto Here = [&](Roots R) {
    Roots Out = R & (Globals | BehindGlobals);
    for (unsigned I = 0; I < Arguments.size(); ++I) {
      if (R & memoryOf(I))
        Out |= Arguments[I].Memory;
      if (R & behind(I))
        Out |= BehindOf(Arguments[I]);
    }
    return Out;
  };
  Roots Followed = isDistance(Callee.getReturnType()) ? 0 : Known->Returned;
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    const Passed &A = Arguments[I];
    if (uint8_t Access = Known->Access[2 * I]) {
      flag(A.Memory, Access, Regular && !(Access & Anywhere));
      if (Access & (Escape | Unknown))
        flag(A.Behind, Access);
    }
    if (uint8_t Access = Known->Access[2 * I + 1])
      flag(BehindOf(A), Access);
    Followed |= Known->Access[2 * I + 1] ? behind(I) : 0;
    Followed |= Known->Stored[I];
  }
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Arguments[I].Plain && Followed & behind(I))
      forge(); // the callee takes a number for a pointer
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Known->Punned & memoryOf(I)) {
      const Passed &A = Arguments[I];
      Summary.Punned |= A.Memory;
      // Numbers come where pointers are, or are taken for such.
      if (A.Holds &&
          (Known->Access[2 * I] & (Write | Unknown) || (A.Number && Followed & behind(I))))
        forge();
    }
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Known->Exposed & memoryOf(I) && Known->Access[2 * I] & ~(Write | Anywhere)) {
      Summary.Exposed |= Arguments[I].Memory;
      flag(Arguments[I].Behind, Unknown | Escape);
      Summary.Punned |= Arguments[I].Behind;
    }
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    if (Known->Retyped & memoryOf(I))
      Summary.Retyped |= Arguments[I].Memory;
    const Roots Behind =
        (Known->Punned | Known->Retyped | Known->Exposed) & behind(I) ? BehindOf(Arguments[I]) : 0;
    if (Known->Punned & behind(I))
      Summary.Punned |= Behind;
    if (Known->Exposed & behind(I)) {
      Summary.Exposed |= Behind;
      flag(heldIn(Behind), Unknown | Escape);
    }
    if (Known->Retyped & behind(I)) {
      Summary.Retyped |= Behind;
      if (!Behind || OwnPlaces)
        forge(); // an object of ours, to which a member or a capture leads
    }
  }
  flag(Globals, Known->Access[2 * GlobalsIndex]);
  flag(BehindGlobals, Known->Access[2 * GlobalsIndex + 1]);
  // Who gets the address of an object of ours may read or replace its pointers.
  Roots Kept = leadsToPointers(Callee.getReturnType()) ? Known->Returned : 0;
  for (unsigned I = 0; I < Arguments.size(); ++I)
    Kept |= Known->Stored[I];
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Kept & memoryOf(I)) {
      flag(Arguments[I].Behind, Escape);
      const bool IsVoid =
          I < Callee.getNumParams() && Callee.getParamDecl(I)->getType()->isVoidPointerType();
      if (IsVoid && Arguments[I].Holds)
        forge(); // nobody knows what it is taken for
    }
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    const Roots Value = Here(Known->Stored[I]);
    if (!Value || Arguments[I].Temporary) // construct() returns it
      continue;
    Location L;
    L.Locals = Arguments[I].Locals;
    L.Memory = Arguments[I].Memory;
    store(L, Value);
  }
  return Here(Known->Returned);
}

bool AccessWalker::knownCall(const CallExpr *E, Roots &Result) {
  const FunctionDecl *Callee = E->getDirectCallee();
  const StringRef Name = Callee ? systemFunctionName(*Callee, Whole) : "";
  if (Name.empty())
    return false;
  if (isSurfaceFunction(Name)) { // writes an array, and into what it gets
    Roots All = 0;
    for (const Expr *Argument : E->arguments())
      All |= Argument->isGLValue() ? address(place(Argument)) : value(Argument);
    flagUnseen(All, Unknown | Escape);
    return true;
  }
  const bool Copy = isCopy(Name);
  const KnownFunction *Known = findKnown(Name);
  const bool IsNumber = isNumberBuiltin(*Callee);
  if (!Known && !Copy && (IsNumber || isEndingFunction(Name)) &&
      llvm::none_of(E->arguments(), leadsToMemory)) {
    for (const Expr *Argument : E->arguments()) {
      const Roots Value = value(Argument);
      Result |= isDistance(E->getType()) ? Value : 0;
      if (!isDistance(E->getType()) && !E->getType()->isVoidType() &&
          !E->getType()->isBooleanType())
        lose(Value);
      if (mayHoldPointers(E->getType()) && carriesAddress(*Argument, Whole.context()))
        forge(); // __cvta_global_to_generic(number)
    }
    return true;
  }
  if ((!Known && !Copy) || (Known && movesPointers(*E)))
    return false;
  unsigned Pointers = 0;
  QualType Into; ///< pointers
  for (const Expr *Argument : E->arguments()) {
    const bool Counts = leadsToMemory(Argument);
    const Roots Value =
        Argument->isGLValue() ? address(place(Argument)) : value(withoutVoid(Argument));
    if (!Counts) {
      lose(Value);
      continue;
    }
    if (Copy)
      flag(Value, Pointers ? Read : Write);
    else if (Known->First == Exposed)
      expose(Value, *Argument);
    else
      flag(Value, Pointers == 0 ? Known->First : Pointers == 1 ? Known->Second : Read);
    const QualType Held = Copy ? copiedPointers(*Argument) : QualType();
    const bool Holds = !Held.isNull();
    if (Copy && !Holds) {
      Summary.Punned |= Value;
      Summary.Exposed |= Pointers ? Value : 0;
      if (!Pointers && leadsAnywhere(*Argument) && !Value)
        forge();
    }
    if (Pointers && Holds)
      flag(next(Value), Escape);
    if (Pointers && Copy && !Into.isNull() && (!Holds || tradesPlaces(Held, Into, Whole.context())))
      forge();
    if (!Pointers)
      Into = Held;
    if ((Copy || Known->ReturnsFirst) && !Pointers)
      Result = Value;
    ++Pointers;
  }
  return true;
}

Roots AccessWalker::call(const CallExpr *E) {
  Roots Result = 0;
  if (knownCall(E, Result))
    return Result;
  const FunctionDecl *Callee = E->getDirectCallee();
  llvm::SmallVector<Passed, 8> Arguments;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  const bool HasObject = Method && Method->isImplicitObjectMemberFunction();
  llvm::ArrayRef<const Expr *> Written(E->getArgs(), E->getNumArgs());
  Passed Own;
  if (HasObject) {
    const Expr *Base = nullptr;
    if (isa<CXXOperatorCallExpr>(E)) {
      Base = Written.front();
      Written = Written.drop_front();
    } else if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
      Base = Member->getImplicitObjectArgument();
    }
    if (!Base) {
      Own.Memory = value(E->getCallee());
    } else if (Base->isGLValue()) {
      Own = passedObject(place(Base), Base->getType());
      if (!Own.Parts)
        Own.Parts = fieldsOf(Base);
    } else if (Base->getType()->isPointerType()) {
      Own = passed(Base);
    } else {
      Own.Behind = withoutDistance(value(Base), Base->getType());
      Own.Parts = fieldsOf(Base);
      leadsTo(Own, Base->getType());
    }
  } else if (!Callee) {
    const auto *Binary = dyn_cast<BinaryOperator>(E->getCallee()->IgnoreParens());
    if (Binary && Binary->isPtrMemOp()) // the object that the function belongs to
      Own = passed(Binary->getLHS());
    else
      Own.Memory = value(E->getCallee());
    Arguments.push_back(Own);
  }
  // A trivial assignment copies the object.
  if (HasObject && Method->isTrivial() && Written.size() == 1 &&
      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator())) {
    Location L;
    L.Locals = Own.Locals;
    L.Memory = Own.Memory;
    const Expr *From = Written[0]->IgnoreParens();
    Roots Value =
        From->isGLValue() ? load(place(From), From->getType(), Flow.isOwn(From)) : value(From);
    const bool HoldsPointers = mayHoldPointers(From->getType());
    store(L, HoldsPointers ? Value : 0,
          isa<CXXOperatorCallExpr>(E) && Flow.isRegular(E->getArg(0)->IgnoreParens()));
    if (!HoldsPointers)
      keepDistance(L, Value);
    return address(L);
  }
  for (const Expr *Argument : Written) {
    Arguments.push_back(passed(Argument));
    loseIn(Arguments.back(), Argument->getType(), Argument->isGLValue());
  }
  if (Callee && Written.size() != Callee->getNumParams()) { // variadic
    if (!Whole.isSystem(Callee->getLocation()) && llvm::any_of(Arguments, carriesAny))
      forge();
    return applyUnseen(Arguments);
  }
  if (HasObject) {
    Arguments.push_back(std::move(Own));
    loseIn(Arguments.back(), {}, true);
  }
  const bool Virtual = Method && Method->isVirtual();
  const bool Seen = Callee && !Virtual && !isa<CUDAKernelCallExpr>(E);
  if (!Seen && llvm::any_of(Arguments, carriesAny))
    forge();
  const bool Assigns = Method && isNarrowAssignment(*Method, Whole) && isa<CXXOperatorCallExpr>(E);
  const bool Regular =
      Flow.isRegular(E) || (Assigns && Flow.isRegular(E->getArg(0)->IgnoreParens()));
  Result = Seen ? apply(*Callee, Arguments, Regular) : applyUnseen(Arguments);
  const bool Leads = E->isGLValue() || mayHoldPointers(E->getType()) ||
                     (Seen && isDistance(E->getType()) && Whole.summary(*Callee));
  return Leads ? Result : 0;
}

Roots AccessWalker::construct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *Callee = E->getConstructor();
  if (Callee->isTrivial()) {
    Roots Value = 0;
    for (const Expr *Argument : E->arguments()) // at most one: the object that is copied
      Value |= Argument->isGLValue() ? load(place(Argument), E->getType()) : value(Argument);
    return Value;
  }
  llvm::SmallVector<Passed, 8> Arguments;
  Roots All = 0;
  for (const Expr *Argument : E->arguments()) {
    Arguments.push_back(passed(Argument));
    loseIn(Arguments.back(), Argument->getType(), Argument->isGLValue());
    All |= Arguments.back().Memory | Arguments.back().Behind;
  }
  if (E->getNumArgs() != Callee->getNumParams())
    return applyUnseen(Arguments);
  Passed Own;
  Own.Temporary = true;
  Arguments.push_back(std::move(Own));
  if (libraryEffect(*Callee, Whole) != LibraryEffect::None)
    return apply(*Callee, Arguments);
  const AccessSummary *Known = hasFewRoots(*Callee) ? nullptr : Whole.summary(*Callee);
  apply(*Callee, Arguments);
  if (!Known)
    return All;
  Roots Value = 0;
  const Roots Stored = Known->Stored[E->getNumArgs()];
  for (unsigned I = 0; I < E->getNumArgs(); ++I) {
    const Passed &A = Arguments[I];
    if (Stored & memoryOf(I))
      Value |= A.Memory;
    if (Stored & behind(I))
      Value |= A.Behind | (A.Loads ? next(A.Memory) : 0);
  }
  return Value;
}

} // namespace gpuinstr
