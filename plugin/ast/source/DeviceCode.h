// Where the bodies of device functions are, and which of them the device compile reads alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_DEVICECODE_H
#define GPUINSTR_PLUGIN_AST_SOURCE_DEVICECODE_H

#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"

namespace clang {
class Decl;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// What the host's compiler can tell of device code: clang's own CUDA compile, or nvcc's.
class DeviceCode {
public:
  virtual ~DeviceCode() = default;
  /// The definition with the body that the program wrote, null when it cannot be had.
  virtual const clang::FunctionDecl *definition(const clang::FunctionDecl &F) = 0;
  /// True when the device compile may read other tokens where the declaration stands.
  virtual bool differs(const clang::Decl &D) = 0;
  /// Of a kernel's parameter and that of its definition(): their pointers lie in the same places.
  virtual bool isLaidOutAlike(clang::QualType Declared, clang::QualType Defined) {
    return Declared.getCanonicalType() == Defined.getCanonicalType();
  }
};

} // namespace gpuinstr

#endif
