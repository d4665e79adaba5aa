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
  std::vector<std::string> Parameters; ///< of the enclosing function; emitted for wrappers
};

/// Collects the sites of a module. Each becomes an object of its own: passes that follow a
/// function's references would walk one array of them all again for every function.
class DescriptorEmitter {
public:
  explicit DescriptorEmitter(llvm::Module &M);

  /// Gives the site its id; returns its index.
  unsigned add(Site S);
  /// Makes those added so far objects, laid out as Code says.
  void defineSites(const Bootstrap &Code);
  /// Null where it has not been defined.
  llvm::Constant *address(unsigned Index) const {
    return Index < Defined.size() ? Defined[Index] : nullptr;
  }
  /// Before it is defined.
  void flag(unsigned Index, uint32_t Flags) { Sites[Index].Flags |= Flags; }
  const std::vector<Site> &sites() const { return Sites; }
  bool empty() const { return Sites.empty(); }

  /// Writes the list of sites, kernels and the module descriptor, which it returns. To be called
  /// once, after the last add.
  llvm::GlobalVariable *finish(const Bootstrap &Code, const SiteTable *Table,
                               llvm::ArrayRef<std::string> AddressesTaken,
                               llvm::StringRef Defaults);

private:
  llvm::Constant *text(llvm::StringRef Text);
  llvm::Constant *textArray(llvm::ArrayRef<std::string> Texts, llvm::StringRef Name);
  llvm::GlobalVariable *define(llvm::StructType *Layout, const Site &S);
  llvm::Constant *paramArray(llvm::StructType *Layout, llvm::ArrayRef<ParamDescription> Params);
  llvm::Constant *kernelArray(const Bootstrap &Code, const SiteTable *Table, unsigned &Count);
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> Elements, llvm::StringRef Name);
  llvm::GlobalVariable *constant(llvm::Constant *Value, llvm::StringRef Name);

  llvm::Module &M;
  llvm::LLVMContext &C;
  std::vector<Site> Sites;
  std::vector<llvm::Constant *> Defined; ///< by index into Sites
  llvm::StringMap<unsigned> Ordinals;
  llvm::StringMap<llvm::Constant *> Texts;
};

} // namespace gpuinstr

#endif
