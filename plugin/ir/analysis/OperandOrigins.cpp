// Where the operands of a function's calls come from: from who called it, or from itself.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/OperandOrigins.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Beyond that a function is no wrapper anyway.
constexpr unsigned MostValues = 2000;

Origin worst(Origin A, Origin B) { return A < B ? B : A; }

/// The closure's operator(), as clang and cudafe++ name it.
bool isLambda(StringRef Symbol) {
  return Symbol.contains("clE") && (Symbol.contains("$_") || Symbol.contains("Ul"));
}

/// The local variable that an address lies in.
const AllocaInst *variableOf(const Value &Address) {
  return dyn_cast<AllocaInst>(getUnderlyingObject(&Address));
}

/// Calls Visit(user, address) for all uses of the variable's address and of places in it.
template <class Fn> void eachUse(const AllocaInst &Variable, Fn Visit) {
  SmallVector<const Value *, 8> Addresses{&Variable};
  while (!Addresses.empty()) {
    const Value *Address = Addresses.pop_back_val();
    for (const User *U : Address->users())
      if (isa<GEPOperator>(U) || isa<CastInst>(U))
        Addresses.push_back(U);
      else
        Visit(*U, *Address);
  }
}

} // namespace

bool isConstructor(StringRef Symbol) { return Symbol.contains("C1E") || Symbol.contains("C2E"); }

OperandOrigins::OperandOrigins(const Function &F, ModuleView &View) : View(View) {
  if (!isLambda(F.getName()))
    return;
  for (const Argument &A : F.args())
    if (!A.hasStructRetAttr()) {
      Closure = &A;
      break;
    }
}

Origin OperandOrigins::of(const Value &V) {
  if (isa<Constant>(V))
    return Origin::Constant;
  if (Known.size() > MostValues)
    return Origin::Other;
  auto [It, New] = Known.try_emplace(&V, Origin::Constant); // in a circle: what else there is
  if (!New)
    return It->second;
  Origin O = compute(V);
  return Known[&V] = O;
}

Origin OperandOrigins::compute(const Value &V) {
  if (const auto *A = dyn_cast<Argument>(&V))
    return A == Closure ? Origin::Other : Origin::Given;
  if (const auto *Variable = dyn_cast<AllocaInst>(&V))
    return ofContents(*Variable);
  if (const auto *Load = dyn_cast<LoadInst>(&V)) {
    const AllocaInst *Variable = variableOf(*Load->getPointerOperand());
    return of(Variable ? *Variable : *Load->getPointerOperand());
  }
  if (const auto *Address = dyn_cast<GEPOperator>(&V))
    return of(*Address->getPointerOperand());
  if (isa<CastInst>(V) || isa<FreezeInst>(V) || isa<ExtractValueInst>(V))
    return of(*cast<Instruction>(V).getOperand(0));
  if (const auto *Call = dyn_cast<CallBase>(&V))
    return ofResult(*Call);
  Origin O = Origin::Constant;
  if (isa<BinaryOperator>(V) || isa<PHINode>(V)) {
    for (const Use &U : cast<Instruction>(V).operands())
      O = worst(O, of(*U.get()));
    return O;
  }
  if (const auto *Select = dyn_cast<SelectInst>(&V))
    return worst(of(*Select->getTrueValue()), of(*Select->getFalseValue()));
  return Origin::Other;
}

/// data() and get() of what was given are given.
Origin OperandOrigins::ofResult(const CallBase &Call) {
  Origin O = Origin::Constant;
  bool Any = false;
  for (const Use &U : Call.args())
    if (U->getType()->isPointerTy()) {
      O = worst(O, of(*U.get()));
      Any = true;
    }
  return Any ? O : Origin::Other;
}

Origin OperandOrigins::ofContents(const AllocaInst &Variable) {
  Origin O = Origin::Constant;
  eachUse(Variable, [&](const User &U, const Value &Address) {
    if (const auto *Store = dyn_cast<StoreInst>(&U)) {
      if (Store->getPointerOperand() == &Address)
        O = worst(O, of(*Store->getValueOperand()));
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&U)) {
      if (Copy->getRawDest() == &Address)
        O = worst(O, of(*Copy->getRawSource()));
    }
  });
  if (O != Origin::Given && isHandedOnFrom(Variable))
    return Origin::Given;
  Type *T = Variable.getAllocatedType();
  while (T->isArrayTy())
    T = T->getArrayElementType();
  // A number may be set from a constant. A pointer gets its value from somewhere.
  return O == Origin::Constant && !T->isIntegerTy() && !T->isFloatingPointTy() ? Origin::Other : O;
}

bool OperandOrigins::isHandedOn(const Value &V) {
  auto [It, New] = HandedOn.try_emplace(&V, false);
  if (!New)
    return It->second;
  for (const User *U : V.users())
    if (isHandedOnBy(*U, V))
      return HandedOn[&V] = true;
  return false;
}

bool OperandOrigins::isReturned(const Value &V) {
  auto [It, New] = Returned.try_emplace(&V, false);
  if (!New)
    return It->second;
  bool Any = false;
  auto Follow = [&](const User &U) {
    const auto *Store = dyn_cast<StoreInst>(&U);
    const AllocaInst *Variable = Store ? variableOf(*Store->getPointerOperand()) : nullptr;
    if (Variable)
      eachUse(*Variable, [&](const User &Use, const Value &) {
        Any = Any || (isa<LoadInst>(Use) && isReturned(Use));
      });
    else
      Any = Any || isa<ReturnInst>(U) || (isa<CastInst>(U) && isReturned(U));
  };
  for (const User *U : V.users())
    Follow(*U);
  return Returned[&V] = Any;
}

bool OperandOrigins::isHandedOnBy(const User &U, const Value &V) {
  if (isa<ReturnInst>(U))
    return true;
  if (isa<CastInst>(U) || isa<GEPOperator>(U) || isa<PHINode>(U) || isa<SelectInst>(U) ||
      isa<InsertValueInst>(U))
    return isHandedOn(U);
  if (const auto *Store = dyn_cast<StoreInst>(&U)) {
    if (Store->getValueOperand() != &V)
      return false;
    if (const AllocaInst *Variable = variableOf(*Store->getPointerOperand()))
      return isHandedOnFrom(*Variable);
    return of(*Store->getPointerOperand()) == Origin::Given;
  }
  // return std::unique_ptr<float>(p), this->owner.reset(p)
  const auto *Call = dyn_cast<CallBase>(&U);
  const Function *Callee = Call ? ModuleView::callee(*Call) : nullptr;
  if (!Callee || Callee->isIntrinsic() || Call->arg_size() < 2 || Call->getArgOperand(0) == &V ||
      of(*Call->getArgOperand(0)) != Origin::Given)
    return false;
  return isConstructor(Callee->getName()) || View.kind(*Callee) == CodeKind::System;
}

bool OperandOrigins::isHandedOnFrom(const AllocaInst &Variable) {
  auto [It, New] = HandedOn.try_emplace(&Variable, false);
  if (!New)
    return It->second;
  bool Any = false;
  eachUse(Variable, [&](const User &U, const Value &Address) {
    if (Any)
      return;
    if (isa<LoadInst>(U))
      Any = isHandedOn(U);
    else if (const auto *Copy = dyn_cast<MemTransferInst>(&U))
      Any = Copy->getRawSource() == &Address && !variableOf(*Copy->getRawDest()) &&
            of(*Copy->getRawDest()) == Origin::Given;
    else if (isa<CallBase>(U)) // std::unique_ptr takes pointers by reference as well
      Any = isHandedOnBy(U, Address);
  });
  return HandedOn[&Variable] = Any;
}

} // namespace gpuinstr
