// Pointers that lie in a kernel's by-value parameters, each a root of its own.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/objects/MemberRoots.h"
#include "ast/access/walker/AccessWalker.h"
#include "compat/ClangCompat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned MaxPointers = 4 * MaxRootedParameters; ///< looked at in one parameter

/// Collects the pointers of one parameter.
struct Collector {
  const ASTContext &Context;
  llvm::SmallVector<MemberRoot, 8> Found;
  bool HasOthers = false;

  void add(QualType T, uint64_t Offset) {
    T = T.getCanonicalType();
    if (!mayHoldPointers(T))
      return;
    if (T->isPointerType() || T->isReferenceType()) {
      if (Found.size() == MaxPointers || Offset % PointerBytes != 0)
        HasOthers = true;
      else
        Found.push_back({0, Offset, T, 0});
    } else if (const ConstantArrayType *Array = Context.getAsConstantArrayType(T)) {
      const QualType Element = Array->getElementType();
      const uint64_t Count = Array->getSize().getZExtValue();
      const uint64_t Bytes = Context.getTypeSizeInChars(Element).getQuantity();
      HasOthers |= Count > MaxPointers;
      for (uint64_t I = 0; I < Count && I < MaxPointers; ++I)
        add(Element, Offset + I * Bytes);
    } else if (const auto *Record = T->getAsRecordDecl()) {
      addRecord(*Record, Offset);
    } else {
      HasOthers = true;
    }
  }

  void addRecord(const RecordDecl &Declared, uint64_t Offset) {
    const RecordDecl *Record = Declared.getDefinition();
    const auto *Class = dyn_cast_or_null<CXXRecordDecl>(Record);
    if (!Record || Record->isInvalidDecl() || Record->isUnion() ||
        (Class && Class->getNumVBases() != 0)) {
      HasOthers = true;
      return;
    }
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
    if (Class)
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl())
          add(Base.getType(), Offset + Layout.getBaseClassOffset(B).getQuantity());
    for (const FieldDecl *Field : Record->fields())
      if (mayHoldPointers(Field->getType())) // no bit field
        add(Field->getType(),
            Offset + Context.toCharUnitsFromBits(Layout.getFieldOffset(Field->getFieldIndex()))
                         .getQuantity());
  }
};

bool holdsNothingButFloats(QualType T, const ASTContext &Context) {
  T = Context.getBaseElementType(T).getCanonicalType();
  if (const auto *Vector = dyn_cast<VectorType>(T))
    return Vector->getElementType()->isRealFloatingType();
  const auto *Record = T->getAsRecordDecl();
  if (!Record || !Record->getDefinition())
    return T->isRealFloatingType() || T->isAnyComplexType();
  const auto *Class = dyn_cast<CXXRecordDecl>(Record->getDefinition());
  auto IsOfFloats = [&](const auto &Part) {
    return holdsNothingButFloats(Part.getType(), Context);
  };
  return (!Class || llvm::all_of(Class->bases(), IsOfFloats)) &&
         llvm::all_of(Record->getDefinition()->fields(),
                      [&](const FieldDecl *Field) { return IsOfFloats(*Field); });
}

/// Collects the numbers of eight bytes in one parameter that holds pointers.
struct NumberCollector {
  const ASTContext &Context;
  llvm::SmallVector<uint64_t, 8> Found;
  bool IsTooMany = false;

  void add(QualType T, uint64_t Offset) {
    T = T.getCanonicalType();
    const auto *Record = T->getAsRecordDecl();
    const auto *Array = Context.getAsConstantArrayType(T);
    if (T->isIncompleteType() || IsTooMany)
      return;
    if (!mayHoldPointers(T) && !Array && isNumber(T, Record)) {
      const uint64_t End = Offset + Context.getTypeSizeInChars(T).getQuantity();
      for (; Offset + PointerBytes <= End; Offset += PointerBytes)
        note(Offset);
    } else if (Array) {
      const uint64_t Bytes = Context.getTypeSizeInChars(Array->getElementType()).getQuantity();
      for (uint64_t I = 0; I < Array->getSize().getZExtValue() && hasNumbers(Array); ++I)
        add(Array->getElementType(), Offset + I * Bytes);
    } else if (Record && Record->getDefinition() && !Record->isInvalidDecl()) {
      addRecord(*Record->getDefinition(), Offset);
    }
  }

  void addRecord(const RecordDecl &Record, uint64_t Offset) {
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Record);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(&Record))
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl(); B && !Base.isVirtual())
          add(Base.getType(), Offset + Layout.getBaseClassOffset(B).getQuantity());
    for (const FieldDecl *Field : Record.fields()) {
      const uint64_t Bits = Layout.getFieldOffset(Field->getFieldIndex());
      if (!Field->isBitField())
        add(Field->getType(), Offset + Context.toCharUnitsFromBits(Bits).getQuantity());
      else // a part of one
        note((Offset + Bits / 8) / PointerBytes * PointerBytes);
    }
  }

  /// Of eight bytes, or a pair or four of them that is copied as one: int2, longlong4.
  bool isNumber(QualType T, const RecordDecl *Record) const {
    constexpr uint64_t MostBytes = 32;
    const uint64_t Bytes = Context.getTypeSizeInChars(T).getQuantity();
    return Bytes >= PointerBytes && (!Record || Bytes <= MostBytes) &&
           !holdsNothingButFloats(T, Context);
  }

  void note(uint64_t Offset) {
    constexpr unsigned Most = 256;
    if (!llvm::is_contained(Found, Offset))
      Found.push_back(Offset);
    IsTooMany |= Found.size() > Most;
  }

  bool hasNumbers(const ConstantArrayType *Array) const {
    return !IsTooMany && carriesNumber(Array->getElementType(), Context);
  }
};

/// Of an argument, or object, of type T, by offset.
Collector pointersIn(QualType T, const ASTContext &Context) {
  Collector Of{Context, {}};
  Of.add(T, 0);
  llvm::stable_sort(Of.Found,
                    [](const MemberRoot &A, const MemberRoot &B) { return A.Offset < B.Offset; });
  return Of;
}

} // namespace

MemberRoots::MemberRoots(const FunctionDecl &Kernel) {
  const ASTContext &Context = Kernel.getASTContext();
  if (hasFewRoots(Kernel))
    return;
  unsigned Next = Kernel.getNumParams() + 1; // behind the object
  for (unsigned I = 0; I < Kernel.getNumParams() && Next < MaxRootedParameters; ++I) {
    const QualType T = Kernel.getParamDecl(I)->getType();
    if (!T->isRecordType() || T->isDependentType() || holdsUnalignedPointers(T))
      continue;
    const Collector Of = pointersIn(T, Context);
    if (Of.Found.size() + Of.HasOthers < 2) // the parameter's own root says as much
      continue;
    for (const MemberRoot &Member : Of.Found) {
      const bool HasPlace = Next < MaxRootedParameters;
      if (HasPlace)
        Members.push_back({I, Member.Offset, Member.Type, Next++});
      if (!HasPlace || Of.HasOthers)
        HasOthers |= uint64_t(1) << I;
    }
  }
}

bool pointersOf(QualType T, const ASTContext &Context, llvm::SmallVectorImpl<MemberRoot> &Out) {
  if (!T->isRecordType() || T->isDependentType() || T->isIncompleteType() ||
      holdsUnalignedPointers(T))
    return false;
  Collector Of = pointersIn(T, Context);
  Out.append(Of.Found.begin(), Of.Found.end());
  return !Of.HasOthers;
}

bool numbersBesidePointers(QualType T, const ASTContext &Context,
                           llvm::SmallVectorImpl<uint64_t> &Out) {
  if (!T->isRecordType() || T->isDependentType() || T->isIncompleteType())
    return true;
  NumberCollector Of{Context, {}};
  Of.add(T, 0);
  llvm::sort(Of.Found);
  const Collector Pointers = pointersIn(T, Context);
  for (uint64_t Offset : Of.Found) // a bit field's word may be half of one
    if (llvm::none_of(Pointers.Found, [&](const MemberRoot &P) {
          return P.Offset < Offset + PointerBytes && Offset < P.Offset + PointerBytes;
        }))
      Out.push_back(Offset);
  return !Of.IsTooMany;
}

QualType objectType(const FunctionDecl &F, unsigned I) {
  const ASTContext &Context = F.getASTContext();
  QualType T;
  if (I < F.getNumParams())
    T = F.getParamDecl(I)->getType().getNonReferenceType();
  else if (const auto *Method = dyn_cast<CXXMethodDecl>(&F);
           Method && Method->isImplicitObjectMemberFunction())
    T = compat::typeOf(Context, *Method->getParent());
  return !T.isNull() && T->isRecordType() ? Context.getCanonicalType(T).getUnqualifiedType()
                                          : QualType();
}

MemberRoots MemberRoots::ofObjects(const FunctionDecl &F, uint32_t Which) {
  MemberRoots Result;
  unsigned Next = F.getNumParams() + 1; // behind the object
  for (unsigned I = 0; I <= F.getNumParams() && I < MaxRootedParameters; ++I) {
    llvm::SmallVector<MemberRoot, 8> Pointers;
    const QualType T = Which >> I & 1 ? objectType(F, I) : QualType();
    if (T.isNull() || !pointersOf(T, F.getASTContext(), Pointers) ||
        Next + Pointers.size() > MaxRootedParameters)
      continue;
    for (const MemberRoot &Member : Pointers)
      Result.Members.push_back({I, Member.Offset, Member.Type, Next++});
  }
  return Result;
}

Roots Fields::at(uint64_t Offset, uint64_t Bytes) const {
  Roots Value = 0;
  for (const auto &[At, Leads] : All)
    if (At < Offset + Bytes && Offset < At + PointerBytes)
      Value |= Leads;
  return Value;
}

Roots Fields::all() const {
  Roots Value = 0;
  for (const auto &[At, Leads] : All)
    Value |= Leads;
  return Value;
}

Roots MemberRoots::of(unsigned Parameter) const {
  Roots All = 0;
  for (const MemberRoot &Member : Members)
    if (Member.Parameter == Parameter)
      All |= memoryOf(Member.Root);
  return All;
}

Roots MemberRoots::at(unsigned Parameter, uint64_t Offset, uint64_t Bytes) const {
  Roots All = HasOthers >> Parameter & 1 ? memoryOf(Parameter) : 0;
  for (const MemberRoot &Member : Members)
    if (Member.Parameter == Parameter && Member.Offset < Offset + Bytes &&
        Offset < Member.Offset + PointerBytes)
      All |= memoryOf(Member.Root);
  return All;
}

} // namespace gpuinstr
