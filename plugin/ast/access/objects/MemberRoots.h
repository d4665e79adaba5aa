// Pointers that lie in a kernel's by-value parameters, each a root of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_OBJECTS_MEMBERROOTS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_OBJECTS_MEMBERROOTS_H

#include "ast/access/AccessSummary.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

constexpr uint64_t PointerBytes = sizeof(uint64_t);

/// A pointer or reference in a struct, in one of its structs, bases or arrays.
struct MemberRoot {
  unsigned Parameter;
  uint64_t Offset; ///< bytes from the begin of the argument
  clang::QualType Type;
  unsigned Root; ///< as if it were the parameter of that number
};

/// What each pointer in an object of ours leads to.
struct Fields {
  clang::QualType Of;                                   ///< canonical, without qualifiers
  llvm::SmallVector<std::pair<uint64_t, Roots>, 4> All; ///< by offset; none is left out

  Roots at(uint64_t Offset, uint64_t Bytes) const;
  Roots all() const;
};

/// All pointers in an object of type T, by offset; false where some have no known place.
bool pointersOf(clang::QualType T, const clang::ASTContext &Context,
                llvm::SmallVectorImpl<MemberRoot> &Out);
/// Where in a parameter of type T, beside its pointers, an address can travel as a number: a word
/// each, by offset. False where there are too many of them.
bool numbersBesidePointers(clang::QualType T, const clang::ASTContext &Context,
                           llvm::SmallVectorImpl<uint64_t> &Out);
/// The type of the object that parameter I is, or refers to; null: it is none. The own object of a
/// method comes behind the parameters.
clang::QualType objectType(const clang::FunctionDecl &F, unsigned I);

/// What lies behind the parameters and the object in AccessSummary. Pointers that find no place
/// there, and those of unions, are the parameter's own root.
class MemberRoots {
public:
  MemberRoots() = default;
  explicit MemberRoots(const clang::FunctionDecl &Kernel);
  /// Of those parameters of a function that are objects, or references to such; the own object of a
  /// method is the last. Those with pointers that would have no root of their own are left out.
  static MemberRoots ofObjects(const clang::FunctionDecl &F, uint32_t Which);

  llvm::ArrayRef<MemberRoot> all() const { return Members; }
  /// The number behind the last root of a parameter, object or member.
  unsigned end(unsigned Object) const {
    return Members.empty() ? Object + 1 : Members.back().Root + 1;
  }
  bool isSplit(unsigned Parameter) const { return of(Parameter) != 0; }
  /// What all of the parameter's members lead to.
  Roots of(unsigned Parameter) const;
  /// What those lead to that lie in these bytes of the argument, the whole parameter's root with it
  /// where some of its pointers have no other.
  Roots at(unsigned Parameter, uint64_t Offset, uint64_t Bytes) const;

private:
  llvm::SmallVector<MemberRoot, 8> Members; ///< by parameter and offset
  uint64_t HasOthers = 0;                   ///< bits: parameters with pointers that are not here
};

} // namespace gpuinstr

#endif
