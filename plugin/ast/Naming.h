// Names of declarations as a reader of the report knows them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NAMING_H
#define GPUINSTR_PLUGIN_AST_NAMING_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FunctionDecl;
class NamedDecl;
class ParmVarDecl;
class QualType;
} // namespace clang

namespace gpuinstr {

/// What an anonymous namespace is called in nvcc's host code, with more behind it: of the file,
/// with -rdc of the compile.
constexpr llvm::StringLiteral NvccAnonymous = "_GLOBAL__N__";

/// Qualified, with template arguments, without parameters: `Buffer<float>::alloc`, `main::lambda`.
std::string qualifiedName(const clang::NamedDecl &D, const clang::ASTContext &Context);
/// The same, but functions of CUDA's C++ headers lose their template arguments: `cudaMalloc`.
std::string calleeName(const clang::FunctionDecl &F, const clang::ASTContext &Context);
/// Without the function's own template arguments, and for a member in the class of the object that
/// it is called on, which may inherit it: `thrust::sort`, `thrust::device_vector<int>::begin`.
std::string libraryCalleeName(const clang::FunctionDecl &F, const clang::CXXRecordDecl *Object,
                              const clang::ASTContext &Context);
/// What a parameter is called. Of a pack's, which all have one name, the second is `p_2`.
std::string parameterName(const clang::ParmVarDecl &Param);
/// As a user would write it: `float`, `Particle`, `cudaStream_t`.
std::string typeName(clang::QualType T, const clang::ASTContext &Context);
/// Text of at most Limit bytes: the middle of a longer one becomes "...".
std::string shortened(std::string Text, unsigned Limit);

} // namespace gpuinstr

#endif
