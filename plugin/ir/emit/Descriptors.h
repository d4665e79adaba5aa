// Site descriptors as the plugin plans them, and their emission into the module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H
#define GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H

#include "gpuinstr/abi.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace gpuinstr {

class Bootstrap;
class SiteTable;
struct ParamDescription;

/// The contents of one gpuinstr_site.
struct Site {
  uint16_t Op = 0, Resource = 0, Detail = 0;
  uint32_t Flags = 0, Slots = 0;
  unsigned Line = 0, Column = 0;
  uint64_t Id = 0, CalleeHash = 0;
  uint64_t OwnHash = 0; ///< of the enclosing function; not emitted
  std::string File, Function, Callee, Variable, Type, Ignore;
  std::vector<std::string> Arguments;
};

/// Collects the sites of a module and writes one contiguous array of them at the end. Sites are
/// handed out as constants before that, so that code can refer to them.
class DescriptorEmitter {
public:
  explicit DescriptorEmitter(llvm::Module &M);

  /// Gives the site its id; returns its index.
  unsigned add(Site S);
  llvm::Constant *address(unsigned Index) const;
  const std::vector<Site> &sites() const { return Sites; }
  bool empty() const { return Sites.empty(); }

  /// In place of finish, when there is nothing to describe.
  void discard() {
    Placeholder->removeDeadConstantUsers();
    Placeholder->eraseFromParent();
  }
  /// Writes arrays, the module descriptor and the functions that register it. Returns the
  /// descriptor. To be called once, after the last add. The structures are
  /// laid out as Code says.
  llvm::GlobalVariable *finish(const Bootstrap &Code, const SiteTable *Table,
                               llvm::ArrayRef<std::string> AddressesTaken,
                               llvm::StringRef Defaults);

private:
  llvm::Constant *text(llvm::StringRef Text);
  llvm::Constant *textArray(llvm::ArrayRef<std::string> Texts, llvm::StringRef Name);
  llvm::Constant *siteConstant(llvm::StructType *Layout, const Site &S);
  llvm::Constant *paramArray(llvm::StructType *Layout, llvm::ArrayRef<ParamDescription> Params);
  llvm::Constant *kernelArray(const Bootstrap &Code, const SiteTable *Table, unsigned &Count);
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> Elements, llvm::StringRef Name);
  llvm::GlobalVariable *constant(llvm::Constant *Value, llvm::StringRef Name);

  llvm::Module &M;
  llvm::LLVMContext &C;
  llvm::GlobalVariable *Placeholder;
  std::vector<Site> Sites;
  llvm::StringMap<unsigned> Ordinals;
  llvm::StringMap<llvm::Constant *> Texts;
};

} // namespace gpuinstr

#endif
