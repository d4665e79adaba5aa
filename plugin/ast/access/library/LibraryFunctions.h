// CUDA's device libraries whose bodies are assembly or depend on the architecture: what their
// functions do with what they get.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_LIBRARYFUNCTIONS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_LIBRARYFUNCTIONS_H

#include "ast/access/AccessSummary.h"
#include <optional>

namespace clang {
class CXXMethodDecl;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// Functions of half, bfloat16 and the narrower floats (cuda_fp16.h, cuda_bf16.h, cuda_fp8.h and
/// the like), of random numbers (curand_kernel.h), of matrix fragments (mma.h) and of groups that
/// copy into shared memory (cooperative_groups/memcpy_async.h). All of these end. Names of CUDA 12
/// and 13. Null for others, and for what a program defines by such a name.
std::optional<AccessSummary> libraryFunction(const clang::FunctionDecl &F, KernelAccess &Whole);

/// A constexpr function of CUDA's or the standard library that gets numbers and gives one back. It
/// can do nothing else: `cuda::ceil_div`, `cuda::std::popcount`, `std::numeric_limits<T>::max`,
/// `cuda::maximum<T>()(a, b)`.
bool computesNumber(const clang::FunctionDecl &F, KernelAccess &Whole);

/// `half &half::operator=(float)`: the object is written as an element of a builtin type would be.
bool isNarrowAssignment(const clang::CXXMethodDecl &Method, KernelAccess &Whole);

} // namespace gpuinstr

#endif
