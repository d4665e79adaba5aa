// Summarises one device function: which roots its statements read, write and let escape.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_WALKER_ACCESSWALKER_H
#define GPUINSTR_PLUGIN_AST_ACCESS_WALKER_ACCESSWALKER_H

#include "ast/access/AccessSummary.h"
#include "ast/access/elements/ElementFlow.h"
#include "ast/access/objects/MemberRoots.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace clang {
class ASTContext;
class ArraySubscriptExpr;
class AsmStmt;
class BinaryOperator;
class CallExpr;
class CastExpr;
class CXXConstructExpr;
class CXXDefaultInitExpr;
class Expr;
class FunctionDecl;
class InitListExpr;
class LambdaExpr;
class Stmt;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// Where a glvalue may lie: in local variables, behind roots, in a temporary that holds roots.
struct Location {
  llvm::SmallVector<const clang::ValueDecl *, 1> Locals;
  Roots Memory = 0;
  Roots Temporary = 0;
  bool Captured = false; ///< in a closure
  /// Bytes from the begin of the one local variable, or of the one object that a parameter refers
  /// to, where that is known.
  std::optional<uint64_t> Offset = std::nullopt;

  void join(const Location &O) {
    Captured |= O.Captured;
    Offset.reset();
    Locals.append(O.Locals.begin(), O.Locals.end());
    Memory |= O.Memory;
    Temporary |= O.Temporary;
  }
};

/// An argument as the callee's parameter sees it.
struct Passed {
  Roots Memory = 0;   ///< what the callee's memoryOf(i) is here
  Roots Behind = 0;   ///< what its behind(i) is, where known without a load
  bool Loads = false; ///< its behind(i) is loaded from Memory
  llvm::SmallVector<const clang::ValueDecl *, 1> Locals; ///< it may store pointers into these
  bool Temporary = false; ///< ... or into a temporary that is the call's result
  bool Number = false; ///< an address may travel in it, or in the object it leads to, as a number
  std::optional<Fields> Parts; ///< where they are known apart, of the object
  bool Plain = false; ///< it leads to an object of ours that holds numbers where pointers may be
  bool Holds = false; ///< it leads to an object of ours that holds pointers
};

bool isConstant(const clang::Expr &E, const clang::ASTContext &Context);
/// No pointer, and large enough for an address.
bool carriesAddress(clang::QualType T, const clang::ASTContext &Context);
bool carriesAddress(const clang::Expr &E, const clang::ASTContext &Context);
/// A number that is negative as it is written: `-1 - i`, `-i * n`, `~i`.
bool isBackwards(const clang::Expr &E, const clang::ASTContext &Context);
/// Or one of its members is.
bool carriesNumber(clang::QualType T, const clang::ASTContext &Context);

/// Numbers of one type may lie where the other has pointers.
bool tradesPlaces(clang::QualType From, clang::QualType To, const clang::ASTContext &Context);

/// Of std::forward and the like: what they give back; null of others.
const clang::Expr *passedThrough(const clang::Expr *E);

/// As an argument of a call every pointer may become `void *`: what it was then.
const clang::Expr *withoutVoid(const clang::Expr *E);

class AccessWalker {
public:
  AccessWalker(KernelAccess &Whole, const clang::FunctionDecl &F, const MemberRoots &Members);
  /// False when the function is not understood at all.
  bool run(AccessSummary &Out);
  /// Calls that the walk made known are those of closures that were taken for others before.
  bool hasNewInstances() const;

private:
  void pass();
  void statement(const clang::Stmt *S);
  void declare(const clang::ValueDecl *V, const clang::Expr *Init);

  // Prvalues (AccessValues.cpp).
  /// What a prvalue's pointers lead to. A glvalue is only located.
  Roots value(const clang::Expr *E);
  Roots castValue(const clang::Expr *E);
  Roots operatorValue(const clang::Expr *E);
  Roots others(const clang::Stmt *S);
  void offset(const clang::Expr &Left, const clang::Expr &Right);
  /// Value: what the pointer leads to that E may move towards lower addresses.
  void noteStepBack(const clang::Expr &E, Roots Value);
  // Distances between pointers (objects/Distances.cpp).
  static bool isDistance(clang::QualType T); ///< what can be one
  Roots distance(const clang::BinaryOperator &E);
  bool isOfOnePointer(Roots R) const;
  Roots distancesIn(const Location &L) const;
  void keepDistance(const Location &L, Roots Value);
  void lose(Roots Distance);
  Roots withoutDistance(Roots Value, clang::QualType T);
  void loseIn(const Passed &P, clang::QualType T, bool IsPlace);
  void destroyed(clang::QualType T, Roots Value);
  // Closures (AccessClosures.cpp).
  Roots capture(const clang::LambdaExpr *E);
  bool isPartOfThis(const clang::LambdaExpr &E) const;
  const clang::Stmt *bodyOf(const clang::FunctionDecl &Call, const clang::LambdaExpr &E) const;
  bool isOwn(const clang::VarDecl &V) const;
  // Glvalues (AccessPlaces.cpp).
  Location place(const clang::Expr *E);
  Location placeOfMember(const clang::Expr *E);
  Location placeOfOperator(const clang::Expr *E);
  Location placeOfName(const clang::Expr *E);
  Location placeOfCaptured(const clang::VarDecl &V);
  void moveToElement(Location &L, const clang::ArraySubscriptExpr &E, clang::QualType Of);
  void moveToBase(Location &L, const clang::CastExpr &Cast);

  // Objects whose pointers are known apart (objects/AccessParts.cpp).
  /// What the pointers in objects lead to whose memory is among R: who has the address of such an
  /// object, no longer knows where in it he is.
  Roots heldIn(Roots R) const;
  /// What the pointers in some bytes lead to, Offset behind L; null where those are not only in
  /// objects of ours.
  std::optional<Roots> heldAt(const Location &L, uint64_t Offset, uint64_t Bytes);
  std::optional<Fields> fieldsAt(const Location &L, clang::QualType T);
  /// Of an argument or initialiser, whose pointers value() has followed.
  std::optional<Fields> fieldsOf(const clang::Expr *E);
  std::optional<Fields> fieldsOfObject(const clang::Expr *E);
  bool addFields(const clang::Expr *E, clang::QualType T, uint64_t Offset, Fields &Out);
  bool addCaptures(const clang::LambdaExpr *E, uint64_t Offset, Fields &Out);
  bool addList(const clang::InitListExpr *E, uint64_t Offset, Fields &Out);
  Location objectOf(unsigned Parameter) const; ///< where it is a reference, or the own object
  void keepFields(const clang::ValueDecl *V, const clang::Expr *Init);
  /// Those of Arguments that the callee should know apart.
  uint32_t worthSplitting(const clang::FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments);
  /// What `this`, or another pointer, points at.
  Location pointee(const clang::Expr *Pointer);

  /// Own: this thread has written it before.
  Roots load(const Location &L, clang::QualType T, bool Own = false);
  /// Regular: memory does not decide where.
  void store(const Location &L, Roots Value, bool Regular = false);
  /// The address of L as a value: locals whose address is taken let their pointers escape.
  Roots address(const Location &L);

  // Calls (AccessCalls.cpp, AccessKnownCalls.cpp for what is known by name). The result is that of
  // value(), or the memory of a glvalue result.
  Roots call(const clang::CallExpr *E);
  Roots construct(const clang::CXXConstructExpr *E);
  bool knownCall(const clang::CallExpr *E, Roots &Result);
  static bool carryNumbers(llvm::ArrayRef<Passed> Arguments) {
    return llvm::any_of(Arguments, [](const Passed &A) { return A.Number; });
  }
  // What callees do (AccessEffects.cpp).
  struct Effect {
    const clang::FunctionDecl &Callee;
    const AccessSummary &Known;
    llvm::ArrayRef<Passed> Arguments;
  };
  Roots apply(const clang::FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments,
              bool Regular = false);
  const AccessSummary *summaryOf(const clang::FunctionDecl &Callee,
                                 llvm::ArrayRef<Passed> Arguments,
                                 llvm::SmallVectorImpl<Passed> &All);
  Roots behindOf(const Passed &A);
  Roots here(const Effect &What, Roots R);
  void touch(const Effect &What, bool Regular);
  void takeNumbers(const Effect &What);
  void takeNumbersBehind(const Effect &What);
  void keepPointers(const Effect &What);
  bool applyCollective(const clang::FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments);
  /// Of a class known by name; null of others (library/LibraryCalls.cpp).
  std::optional<Roots> applyLibrary(const clang::FunctionDecl &Callee,
                                    llvm::ArrayRef<Passed> Arguments, bool Regular);
  Roots applyUnseen(llvm::ArrayRef<Passed> Arguments);
  Passed passed(const clang::Expr *Argument);
  Passed passedObject(const Location &L, clang::QualType T);
  void leadsTo(Passed &P, clang::QualType T);

  void flag(Roots R, uint8_t Access, bool Regular = false);
  /// Code that is not looked at gets these, and may touch all global variables.
  void flagUnseen(Roots R, uint8_t Access = access::Unknown);
  /// A pointer is made of bytes that were none.
  void forge() { flag(Globals, access::Unknown | access::Forged); }
  /// What lies at L in pointers' places becomes visible as something else, or the other way round.
  void pun(clang::QualType From, clang::QualType To, Roots Memory);
  void assembly(const clang::AsmStmt *S);
  void expose(Roots Value, const clang::Expr &Pointer);
  void unknownAssembly(const clang::AsmStmt *S);
  void operand(const clang::Expr &Input, uint8_t Through);
  /// Roots of the pointers that memory behind R holds; a third level is unknown.
  Roots next(Roots R);

  KernelAccess &Whole;
  const clang::FunctionDecl &F;
  const MemberRoots &Members; ///< of its parameters
  ElementFlow Flow;
  AccessSummary Summary;
  bool GaveUp = false;
  /// Somebody may know the address of an object of this function: all that such ones are given.
  void giveAway();
  /// Of a member's initialiser, in the class's constructor or in an aggregate's list.
  const clang::Expr *initialiser(const clang::CXXDefaultInitExpr &E);

  bool OwnPlaces = false; ///< pointers may lead to objects of this function, beside what they say
  unsigned Object = 0;    ///< index of `this`
  llvm::DenseMap<const clang::ValueDecl *, Roots> Held; ///< pointers in local variables
  llvm::DenseMap<const clang::ValueDecl *, Location> References;
  llvm::SmallPtrSet<const clang::ValueDecl *, 4> Mixed;      ///< pointers were stored into these
  llvm::DenseMap<const clang::ValueDecl *, Fields> Apart;    ///< of local variables, but for Mixed
  llvm::SmallPtrSet<const clang::DeclContext *, 2> Closures; ///< whose bodies are part of F's
  llvm::DenseMap<const clang::LambdaExpr *, std::size_t> Generic; ///< no part, with their instances
  bool Changed = false;
};

} // namespace gpuinstr

#endif
