// Calls of CUDA's functions that are known by name.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/KnownFunctions.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/Expr.h"

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

bool leadsToMemory(const Expr *Argument) {
  return Argument->isGLValue() || mayHoldPointers(Argument->getType());
}

} // namespace

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

} // namespace gpuinstr
