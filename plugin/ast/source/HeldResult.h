// Whether a function returns what its object holds.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_HELDRESULT_H
#define GPUINSTR_PLUGIN_AST_SOURCE_HELDRESULT_H

namespace clang {
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// `const float *device() { upload(); return ptr; }`: wherever it returns something, that is a
/// member of its object or made of one. As far as bodies can be seen: what `return allocate(n);`
/// returns may be new.
bool returnsHeld(const clang::FunctionDecl &F);

} // namespace gpuinstr

#endif
