// Device code under nvcc: the bodies that cudafe++ disabled, and what depends on the device there.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_NVCCCODE_H
#define GPUINSTR_PLUGIN_AST_NVCC_NVCCCODE_H

#include "ast/nvcc/DisabledBodies.h"
#include "ast/nvcc/NvccConditionals.h"
#include "ast/source/DeviceCode.h"

namespace gpuinstr {

class CodeOrigin;

class NvccCode : public DeviceCode {
public:
  NvccCode(clang::CompilerInstance &CI, CodeOrigin &Origins);

  const clang::FunctionDecl *definition(const clang::FunctionDecl &F) override;
  bool differs(const clang::Decl &D) override;
  bool isLaidOutAlike(clang::QualType Declared, clang::QualType Defined) override {
    return Bodies.isLaidOutAlike(Declared, Defined);
  }

private:
  clang::CompilerInstance &CI;
  CodeOrigin &Origins;
  DisabledBodies Bodies;
  NvccConditionals Conditionals;
};

} // namespace gpuinstr

#endif
