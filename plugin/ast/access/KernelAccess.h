// What a kernel's visible code does through each pointer parameter.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_KERNELACCESS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_KERNELACCESS_H

#include "ast/access/AccessSummary.h"
#include "ast/access/ends/SurelyEnds.h"
#include "ast/access/objects/MemberRoots.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class NamedDecl;
} // namespace clang

namespace gpuinstr {

/// __device__ without __host__, as clang knows them.
bool isOfDeviceAlone(const clang::NamedDecl &D);

class AlikeCode;
class CodeOrigin;
class DeviceCode;

struct KernelFacts {
  struct Member {
    unsigned Parameter;
    uint64_t Offset; ///< bytes from the begin of the argument
    uint8_t Access;
    bool IsNumber; ///< an address may travel in it
  };
  std::vector<uint8_t> Access; ///< gpuinstr_access bits for each parameter
  /// Pointers in parameters by value, and numbers beside pointers, by parameter and offset.
  std::vector<Member> Members;
  uint32_t Flags = 0; ///< gpuinstr_kernel_flags
};

/// Follows pointers through locals, aggregates, lambdas and visible callees, without regard to the
/// order of statements. Whatever it does not understand is GPUINSTR_ACCESS_UNKNOWN.
class KernelAccess {
public:
  /// Code is null where no body can be trusted, as in source that was preprocessed before.
  KernelAccess(clang::ASTContext &Context, CodeOrigin &Origins, DeviceCode *Code);

  ~KernelAccess();

  KernelFacts of(const clang::FunctionDecl &Kernel);

  /// The summary of a visible body; null when there is none, when it calls itself, or when the
  /// budget of this kernel is spent.
  const AccessSummary *summary(const clang::FunctionDecl &F);
  /// The same, with a root for each pointer in those parameters that are objects, or references to
  /// such; the own object of a method is the last. The roots come in Members, null with the summary
  /// where there are none.
  const AccessSummary *splitSummary(const clang::FunctionDecl &F, uint32_t Which,
                                    const MemberRoots *&Members);
  /// Of the toolkit's libraries by name, or null: libraryFunction().
  const AccessSummary *library(const clang::FunctionDecl &F);
  /// The definition of a function, if there is one that the device compile sees alike.
  const clang::FunctionDecl *visible(const clang::FunctionDecl &F);
  /// Somebody may know the address of the object that a constructor makes, or that a function
  /// returns: by a constructor that stores `this`.
  bool makesKept(const clang::FunctionDecl &F);
  /// Writes nothing, hands no address on.
  bool onlyReads(const clang::FunctionDecl &F);
  /// Whatever others do.
  bool surelyEnds(const clang::FunctionDecl &F) { return Ends.of(F); }
  /// The program did not write it.
  bool isSystem(clang::SourceLocation Loc);
  /// Takes one step of the budget; false when it is spent.
  bool step() { return Budget && Budget--; }
  const clang::ASTContext &context() const { return Context; }

private:
  void describeNumbers(unsigned I, clang::QualType T, KernelFacts &Facts);
  void describe(const clang::FunctionDecl &Kernel, const AccessSummary *Known, KernelFacts &Facts);

  clang::ASTContext &Context;
  CodeOrigin &Origins;
  DeviceCode *Code;
  SurelyEnds Ends;
  std::unique_ptr<AlikeCode> Alike; ///< null without Code
  /// The kernel that is asked about, as visible() gives it, and its parameters' members.
  const clang::FunctionDecl *Asked = nullptr;
  MemberRoots Members;
  unsigned Budget = 0; ///< expressions and statements still to be looked at
  unsigned Depth = 0;
  /// What visible() answered, by canonical declaration.
  llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *> Visible;
  /// Null while a function is being summarised, and for good where it cannot be.
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<AccessSummary>> Summaries;
  /// Null for what is none of the libraries'.
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<AccessSummary>> Libraries;
  struct Split {
    MemberRoots Members;
    AccessSummary Summary;
  };
  /// By function and Which. Null likewise, or where splitSummary() is.
  llvm::DenseMap<std::pair<const clang::FunctionDecl *, unsigned>, std::unique_ptr<Split>> Splits;
};

} // namespace gpuinstr

#endif
