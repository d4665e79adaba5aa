// What a callee does, in terms of the function that calls it.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/BlockCollectives.h"
#include "ast/access/KernelAccess.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

namespace {

/// The address of an object is one of the pointers among its bytes.
bool leadsToPointers(QualType T) {
  if (!T->isPointerType() && !T->isReferenceType())
    return mayHoldPointers(T);
  return T->getPointeeType()->isVoidType() || T->getPointeeType()->isRecordType() ||
         mayHoldPointers(T->getPointeeType());
}

/// Of nothing but numbers: `__cvta_global_to_generic`.
bool makesPointers(const FunctionDecl &F) {
  return F.getReturnType()->isPointerType() && !isa<CXXMethodDecl>(F) && F.getIdentifier() &&
         F.getName() != "malloc" &&
         llvm::none_of(F.parameters(), [](auto *P) { return mayHoldPointers(P->getType()); });
}

} // namespace

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

/// With a root for each pointer in those of its arguments that are worth it; All gets these behind
/// the others. Null where the callee is unseen.
const AccessSummary *AccessWalker::summaryOf(const FunctionDecl &Callee,
                                             llvm::ArrayRef<Passed> Arguments,
                                             llvm::SmallVectorImpl<Passed> &All) {
  All.assign(Arguments.begin(), Arguments.end());
  const uint32_t Which = worthSplitting(Callee, Arguments);
  const MemberRoots *Split = nullptr;
  const AccessSummary *Known = Which ? Whole.splitSummary(Callee, Which, Split) : nullptr;
  if (!Known)
    return Whole.summary(Callee);
  All.resize(Callee.getNumParams() + 1); // the object
  for (const MemberRoot &Member : Split->all()) {
    Passed &Part = All.emplace_back();
    Part.Memory = Arguments[Member.Parameter].Parts->at(Member.Offset, PointerBytes);
    Part.Loads = true;
    if (const QualType To = Member.Type->getPointeeType(); !To.isNull())
      leadsTo(Part, To);
  }
  return Known;
}

Roots AccessWalker::apply(const FunctionDecl &Callee, llvm::ArrayRef<Passed> Arguments,
                          bool Regular) {
  if (applyCollective(Callee, Arguments))
    return 0;
  if (const std::optional<Roots> Result = applyLibrary(Callee, Arguments, Regular))
    return *Result;
  llvm::SmallVector<Passed, 8> All;
  const AccessSummary *Known = summaryOf(Callee, Arguments, All);
  if (!Known || hasFewRoots(Callee) || All.size() > MaxRootedParameters) {
    // The system's functions take addresses as pointers.
    if ((!Whole.isSystem(Callee.getLocation()) || makesPointers(Callee)) && carryNumbers(All))
      forge();
    return applyUnseen(All);
  }
  const Effect What = {Callee, *Known, All};
  touch(What, Regular);
  takeNumbers(What);
  takeNumbersBehind(What);
  flag(Globals, Known->Access[2 * GlobalsIndex]);
  flag(BehindGlobals, Known->Access[2 * GlobalsIndex + 1]);
  keepPointers(What);
  return here(What, Known->Returned);
}

Roots AccessWalker::behindOf(const Passed &A) { return A.Behind | (A.Loads ? next(A.Memory) : 0); }

/// The callee's roots in terms of this function's.
Roots AccessWalker::here(const Effect &What, Roots R) {
  Roots Out = R & (Globals | BehindGlobals);
  for (unsigned I = 0; I < What.Arguments.size(); ++I) {
    if (R & memoryOf(I))
      Out |= What.Arguments[I].Memory;
    if (R & behind(I))
      Out |= behindOf(What.Arguments[I]);
  }
  return Out;
}

/// Reads and writes.
void AccessWalker::touch(const Effect &What, bool Regular) {
  for (unsigned I = 0; I < What.Arguments.size(); ++I) {
    const Passed &A = What.Arguments[I];
    if (uint8_t Access = What.Known.Access[2 * I]) {
      flag(A.Memory, Access, Regular && !(Access & Anywhere));
      if (Access & (Escape | Unknown))
        flag(A.Behind, Access);
    }
    // Only what pointers of its own object lead to a function may write regularly.
    if (uint8_t Access = What.Known.Access[2 * I + 1])
      flag(behindOf(A), Access, Regular && I == What.Callee.getNumParams() && !(Access & Anywhere));
  }
}

/// Numbers where pointers are, in the objects that the callee gets, and the other way round.
void AccessWalker::takeNumbers(const Effect &What) {
  const AccessSummary &Known = What.Known;
  Roots Followed = isDistance(What.Callee.getReturnType()) ? 0 : Known.Returned;
  for (unsigned I = 0; I < What.Arguments.size(); ++I)
    Followed |= Known.Stored[I] | (Known.Access[2 * I + 1] ? behind(I) : 0);
  for (unsigned I = 0; I < What.Arguments.size(); ++I) {
    const Passed &A = What.Arguments[I];
    if (A.Plain && Followed & behind(I))
      forge(); // the callee takes a number for a pointer
    if (Known.Retyped & memoryOf(I))
      Summary.Retyped |= A.Memory;
    if (Known.Punned & memoryOf(I)) {
      Summary.Punned |= A.Memory;
      // Numbers come where pointers are, or are taken for such.
      if (A.Holds &&
          (Known.Access[2 * I] & (Write | Unknown) || (A.Number && Followed & behind(I))))
        forge();
    }
    if (Known.Exposed & memoryOf(I) && Known.Access[2 * I] & ~(Write | Anywhere | Before)) {
      Summary.Exposed |= A.Memory;
      flag(A.Behind, Unknown | Escape);
      Summary.Punned |= A.Behind;
    }
  }
}

/// ... and in what these objects lead to.
void AccessWalker::takeNumbersBehind(const Effect &What) {
  const AccessSummary &Known = What.Known;
  for (unsigned I = 0; I < What.Arguments.size(); ++I) {
    if (!((Known.Punned | Known.Retyped | Known.Exposed) & behind(I)))
      continue;
    const Roots Behind = behindOf(What.Arguments[I]);
    if (Known.Punned & behind(I))
      Summary.Punned |= Behind;
    if (Known.Exposed & behind(I)) {
      Summary.Exposed |= Behind;
      flag(heldIn(Behind), Unknown | Escape);
    }
    if (Known.Retyped & behind(I)) {
      Summary.Retyped |= Behind;
      if (!Behind || OwnPlaces)
        forge(); // an object of ours, to which a member or a capture leads
    }
  }
}

/// What the callee stores, and what it may keep.
void AccessWalker::keepPointers(const Effect &What) {
  const AccessSummary &Known = What.Known;
  // Who gets the address of an object of ours may read or replace its pointers.
  Roots Kept = leadsToPointers(What.Callee.getReturnType()) ? Known.Returned : 0;
  for (unsigned I = 0; I < What.Arguments.size(); ++I)
    Kept |= Known.Stored[I];
  for (unsigned I = 0; I < What.Arguments.size(); ++I)
    if (Kept & memoryOf(I)) {
      flag(What.Arguments[I].Behind, Escape);
      const bool IsVoid = I < What.Callee.getNumParams() &&
                          What.Callee.getParamDecl(I)->getType()->isVoidPointerType();
      if (IsVoid && What.Arguments[I].Holds)
        forge(); // nobody knows what it is taken for
    }
  for (unsigned I = 0; I < What.Arguments.size(); ++I) {
    const Roots Value = here(What, Known.Stored[I]);
    if (!Value || What.Arguments[I].Temporary) // construct() returns it
      continue;
    Location L;
    L.Locals = What.Arguments[I].Locals;
    L.Memory = What.Arguments[I].Memory;
    store(L, Value);
  }
}

} // namespace gpuinstr
