// What a preprocessor's condition comes to for the host and for the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CONDITIONS_CONDITIONVALUE_H
#define GPUINSTR_PLUGIN_AST_CONDITIONS_CONDITIONVALUE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gpuinstr {

/// What is known of a name, where both sides see the same.
struct NameMeaning {
  enum Kind {
    Undefined,
    Replaced, ///< an object-like macro
    Opaque,   ///< defined, but who knows as what
    Unknown,  ///< may be defined, may differ
  } What = Unknown;
  std::string Text; ///< what replaces it
};

/// Three-valued, by what the names are at that place. `__CUDA_ARCH__` is none for the host, one of
/// a few numbers for the device. A name of unknown text makes the whole unknown, wherever it
/// stands: `A || B` may be behind it.
class ConditionValue {
public:
  using Lookup = llvm::function_ref<NameMeaning(llvm::StringRef)>;

  /// Reads the architectures that the compile is for.
  explicit ConditionValue(const clang::Preprocessor &PP);

  /// For both sides alike: the condition of a directive without comments, its word first, as in
  /// `if defined(A) && B > 2` or `ifndef A`. Nothing: unknown, or the sides differ.
  std::optional<bool> ofBoth(llvm::StringRef Directive, Lookup Names) const;

private:
  std::vector<unsigned> Archs; ///< empty: nobody knows
};

} // namespace gpuinstr

#endif
