// Finds source that the device compile may parse differently: it depends on __CUDA_ARCH__.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_ARCHCONDITIONALS_H
#define GPUINSTR_PLUGIN_AST_SOURCE_ARCHCONDITIONALS_H

#include "ast/source/DependentNames.h"
#include "ast/source/DeviceCode.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <optional>
#include <vector>

namespace clang {
class IdentifierInfo;
class PPCallbacks;
class Preprocessor;
class SourceManager;
} // namespace clang

namespace gpuinstr {

/// The host compile parses kernel bodies without __CUDA_ARCH__. This notes the conditionals that
/// test it, the macros defined under them, the conditionals that test those, and every use; but not
/// those whose conditions come out alike for the device, or whose branches are the same.
class ArchConditionals : public DeviceCode {
public:
  /// Starts listening; the notes live as long as either side.
  static std::shared_ptr<ArchConditionals> attach(clang::Preprocessor &PP);
  const clang::FunctionDecl *definition(const clang::FunctionDecl &F) override;
  bool differs(const clang::Decl &D) override;

private:
  bool touches(clang::SourceRange Range, const clang::SourceManager &SM) const;

  friend class ArchListener;
  struct Interval {
    unsigned Begin, End; ///< offsets into the file
  };
  std::vector<DependentNames::Text> ofProgram(const clang::SourceManager &SM) const;
  void addFile(clang::FileID File);
  void add(clang::SourceLocation From, clang::SourceLocation To, const clang::SourceManager &SM);

  llvm::DenseMap<clang::FileID, std::vector<Interval>> Dependent;
  std::optional<DependentNames> Names; ///< once somebody has asked
  bool ComparesLoads = false;          ///< the program's branches are alike if CUDA's loads are
  bool SetsLoads = false;              ///< macros of those names
};

} // namespace gpuinstr

#endif
