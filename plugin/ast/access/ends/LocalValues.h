// What is known of a function's local variables: whether a value comes from memory or from another
// thread.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_LOCALVALUES_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_LOCALVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
class LambdaExpr;
class Stmt;
class VarDecl;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

using Variables = llvm::DenseSet<const clang::VarDecl *>;

/// An assignment to a local variable or a part of one, its initialisation included.
struct Assignment {
  const clang::VarDecl *Variable = nullptr;
  const clang::Expr *Value = nullptr; ///< null: a step of one
  const clang::Stmt *At = nullptr;
  bool Keeps = false; ///< the new value depends on the old one
};

/// In the bodies that cudafe++ leaves, __shared__ stands as an attribute before the type, or before
/// the storage class. One that the program wrote is spelled `__attribute((unused))` there, or in
/// brackets.
bool isSharedOfCudafe(const clang::VarDecl &V);

/// The variable of which E is the whole or a member by value.
const clang::VarDecl *baseVariable(const clang::Expr *E);
/// Of an element, the array or the object that it is a part of; null if a pointer leads there.
const clang::Expr *withoutElement(const clang::Expr *E);
/// That a method is called on; null of other functions.
const clang::Expr *objectOf(const clang::CallExpr &Call);
/// The arguments but for the object.
llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::CallExpr &Call);
bool isUnevaluated(const clang::Expr *E);
bool mentionsThis(const clang::Stmt *S);
/// What a list makes of the elements that it does not name, which is none of its children; or null.
const clang::Expr *arrayFiller(const clang::Stmt *S);

/// `threadIdx.x` and its like.
bool isThreadIndex(const clang::Expr *E);

class LocalValues {
public:
  LocalValues(KernelAccess &Whole, const clang::FunctionDecl &F, unsigned Depth = 0);

  /// A local variable of which every use is a read or an assignment that is seen: nobody has its
  /// address. Null for everything else.
  const clang::VarDecl *local(const clang::Expr *E) const;
  /// Constant memory counts as what does not come from outside: for one launch that holds.
  void keepConstants() { ConstantsStay = true; }
  /// From here on references to numbers that the function gets count as local variables too:
  /// followed() are the parameters, as bits, for which the caller has to pass such.
  void followReferences() { FollowsReferences = true; }
  uint32_t followed() const { return Followed; }
  /// From here on what lies in the own object, or in a closure by copy, does not come from outside,
  /// nor does a number that the function gets by constant reference: so it is where the caller has
  /// such an object and such numbers, and the function leaves them as they are (objectStays,
  /// argumentsStay).
  void keepObject() { ObjectStays = true; }
  /// Of a method's call: the object is a local variable, or lies in what keepObject() is about, and
  /// the call leaves it as it is. True of other functions.
  bool objectStays(const clang::CallExpr &Call, const Variables &Outer) const;
  /// No argument comes from outside; to what the call gets by reference, a number each, it leaves
  /// its value.
  bool argumentsStay(const clang::CallExpr &Call, const Variables &Outer) const;
  /// A local variable, or a parameter, that at most the callees which get it now have the address
  /// of.
  bool isUnshared(const clang::VarDecl &V) const;
  /// True unless the value follows from constants, parameters by value, thread indices and local
  /// variables outside of Outer alone.
  bool comesFromOutside(const clang::Expr *E, const Variables &Outer) const;
  /// The same for what an assignment leaves behind.
  bool comesFromOutside(const Assignment &A, const Variables &Outer) const;
  /// All local variables that the expression reads.
  void collectReads(const clang::Expr *E, Variables &Into) const;
  /// The expression's own assignments, not those of its operands.
  static bool assignment(const clang::Stmt *S, llvm::SmallVectorImpl<Assignment> &Out);
  /// A number above zero, the same in every round: a constant, a dimension of the launch.
  bool isPositive(const clang::Expr *E) const;
  /// A parameter that keeps the value that it came with.
  bool isFixed(const clang::VarDecl &V) const;
  /// ... or a variable that keeps the one that it is declared with.
  bool keepsFirst(const clang::VarDecl &V) const;

private:
  // ExposedVariables.cpp
  void findExposed(const clang::Stmt *S);
  void findExposedIn(const clang::CallExpr &Call);
  bool isLentObject(const clang::Expr *E, const clang::FunctionDecl &Callee);
  void exposeResult(const clang::Expr *E);
  void expose(const clang::VarDecl &V);
  bool isKept(const clang::Expr *Init);
  bool readsVariable(const clang::Expr *E);
  bool isFollowedReference(const clang::VarDecl &V) const;
  bool elementComesFromOutside(const clang::Expr *E, const Variables &Outer) const;
  bool isOfObject(const clang::Expr *E) const;
  bool isLentNumber(const clang::Expr *E) const;
  bool isOwnObject(const clang::Expr *E) const;
  bool isCopied(const clang::Expr *E) const;
  bool closureComesFromOutside(const clang::LambdaExpr &E, const Variables &Outer) const;
  bool computes(const clang::CallExpr &Call, const Variables &Outer) const;
  bool callIsPure(const clang::Expr *E, const Variables &Outer) const;
  bool ofNumbersIsPure(const clang::CallExpr &Call, const Variables &Outer) const;

  KernelAccess &Whole;
  const clang::FunctionDecl &F;
  unsigned Depth;   ///< of callees
  Variables Leaked; ///< of Exposed, what may be changed at any time from now on
  bool FollowsReferences = false, ConstantsStay = false, ObjectStays = false;
  mutable uint32_t Followed = 0;
  Variables Exposed;                                        ///< somebody may have the address
  llvm::DenseMap<const clang::VarDecl *, unsigned> Written; ///< how often, initialisation apart
};

} // namespace gpuinstr

#endif
