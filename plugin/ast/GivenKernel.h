// Whether a function launches a kernel of its own choice or of its caller's.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_GIVENKERNEL_H
#define GPUINSTR_PLUGIN_AST_GIVENKERNEL_H

namespace clang {
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// Whether template arguments of the launcher, or of its class, are the kernel or the code that the
/// kernel runs: launch<kernel>(...), parallelFor(n, [=] __device__ (int i) { ... }). A kernel<T>
/// for the caller's float is still of the launcher's choice.
bool isGivenKernel(const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Launcher);

} // namespace gpuinstr

#endif
