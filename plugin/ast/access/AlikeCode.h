// Whether the device compile reads a function as the host's does, with all that it uses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ALIKECODE_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ALIKECODE_H

#include "llvm/ADT/DenseMap.h"

namespace clang {
class Decl;
class Expr;
class FunctionDecl;
class NamedDecl;
class QualType;
class Stmt;
class TemplateArgument;
} // namespace clang

namespace gpuinstr {

class DeviceCode;
class KernelAccess;

/// A kernel that is the same on both sides may still use a type or a constant that is not. Callees
/// are asked about when they are looked at.
class AlikeCode {
public:
  AlikeCode(DeviceCode &Code, KernelAccess &Whole) : Code(Code), Whole(Whole) {}
  bool isAlike(const clang::FunctionDecl &Definition);

private:
  bool statement(const clang::Stmt *S);
  bool expression(const clang::Expr &E);
  bool choosesAlike(const clang::FunctionDecl &Named);
  bool choosesAlike(const clang::FunctionDecl &Named, clang::QualType Argument);
  bool isOfDevice(const clang::NamedDecl &Named);
  bool type(clang::QualType T);
  bool argument(const clang::TemplateArgument &A);
  bool declaration(const clang::Decl *D);
  bool declared(const clang::Decl &D);

  DeviceCode &Code;
  KernelAccess &Whole;
  bool BothSides = false; ///< the function that is looked at is the host's, too
  llvm::DenseMap<const void *, bool> Types;
  llvm::DenseMap<const clang::Decl *, bool> Declarations; ///< true while they are looked at
};

} // namespace gpuinstr

#endif
