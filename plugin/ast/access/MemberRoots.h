// Pointers that lie in a kernel's by-value parameters, each a root of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_MEMBERROOTS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_MEMBERROOTS_H

#include "ast/access/AccessSummary.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class ASTContext;
class CXXMethodDecl;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// A pointer or reference in a struct, in one of its structs, bases or arrays.
struct MemberRoot {
  unsigned Parameter;
  uint64_t Offset; ///< bytes from the begin of the argument
  clang::QualType Type;
  unsigned Root; ///< as if it were the parameter of that number
};

/// What lies behind the parameters and the object in AccessSummary. Pointers that find no place
/// there, and those of unions, are the parameter's own root.
class MemberRoots {
public:
  MemberRoots() = default;
  explicit MemberRoots(const clang::FunctionDecl &Kernel);
  /// Of a closure, as the object of its call operator. Empty where some pointers in it would have
  /// no root of their own.
  static MemberRoots ofClosure(const clang::CXXMethodDecl &CallOperator);

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
