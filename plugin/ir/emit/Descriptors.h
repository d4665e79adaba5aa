// Site descriptors as the plugin plans them, and their emission into the module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H
#define GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H

#include "gpuinstr/abi.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
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
  bool KernelIsGiven = false;          ///< see CallDescription; not emitted
};

/// Collects the sites of a module. Each that a function refers to becomes an object of its own:
/// passes that follow a function's references would walk one array of them all again for every
/// function. Those that calls name by number stand in an array, which few functions refer to.
class DescriptorEmitter {
public:
  explicit DescriptorEmitter(llvm::Module &M);

  /// Gives the site its id; returns its index.
  unsigned add(Site S);
  /// Declares those added so far as objects, laid out as Code says, and the Numbered ones, by
  /// index, as elements of an array.
  void declareSites(const Bootstrap &Code, const llvm::BitVector &Numbered);
  /// Null where it has not been declared; not for numbered ones.
  llvm::Constant *address(unsigned Index) const {
    llvm::Value *V = Index < Objects.size() ? Objects[Index] : nullptr;
    return llvm::cast_or_null<llvm::Constant>(V);
  }
  /// That of a site that stands in the array.
  unsigned number(unsigned Index) const { return Numbers[Index]; }
  /// The array, null where there is none.
  llvm::GlobalVariable *numbered() const {
    return llvm::cast_or_null<llvm::GlobalVariable>(static_cast<llvm::Value *>(Array));
  }
  /// Of some site that is an object of its own, null where there is none.
  llvm::Constant *anyAddress() const { return AnyObject; }
  /// Before it is declared.
  void flag(unsigned Index, uint32_t Flags) { Sites[Index].Flags |= Flags; }
  const std::vector<Site> &sites() const { return Sites; }
  bool empty() const { return Sites.empty(); }

  /// Writes the kernels and the module descriptor, which it returns, and declares the list of
  /// sites. To be called once, after the last add.
  llvm::GlobalVariable *finish(const Bootstrap &Code, const SiteTable *Table,
                               llvm::ArrayRef<std::string> AddressesTaken,
                               llvm::StringRef Defaults);
  /// Defines what has been declared. Behind most passes: the contents are of no use to them, and
  /// some walk all constants that anything refers to. To be called once.
  void complete();

private:
  llvm::Constant *text(llvm::StringRef Text);
  llvm::Constant *textArray(llvm::ArrayRef<std::string> Texts, llvm::StringRef Name);
  llvm::Constant *fields(const Site &S, llvm::Constant *Arguments, uint64_t Hash);
  llvm::GlobalVariable *declare(llvm::Type *Type, llvm::StringRef Name, bool Constant = false);
  llvm::GlobalVariable *declareArray();
  llvm::GlobalVariable *declareSite(const Site &S);
  void addBehind(const Site &S, llvm::SmallVectorImpl<llvm::Constant *> &Out);
  void defineSite(llvm::GlobalVariable &G, const Site &S);
  void defineArray(llvm::MutableArrayRef<llvm::Constant *> Addresses);
  void poolTexts();
  llvm::Constant *paramArray(llvm::StructType *Layout, llvm::ArrayRef<ParamDescription> Params);
  llvm::Constant *kernelArray(const Bootstrap &Code, const SiteTable *Table, unsigned &Count);
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> Elements, llvm::StringRef Name);
  llvm::GlobalVariable *constant(llvm::Constant *Value, llvm::StringRef Name);

  llvm::Module &M;
  llvm::LLVMContext &C;
  std::vector<Site> Sites;
  llvm::BitVector Numbered;          ///< by index into Sites, as the next two
  std::vector<llvm::WeakVH> Objects; ///< null: numbered, or dropped because nothing refers to it
  std::vector<unsigned> Numbers;
  llvm::StructType *Layout = nullptr; ///< of a site
  llvm::WeakVH Array;                 ///< of the numbered ones
  llvm::Constant *AnyObject = nullptr;
  llvm::GlobalVariable *List = nullptr; ///< the addresses of all sites
  llvm::StringMap<unsigned> Ordinals;
  llvm::StringMap<llvm::Constant *> Texts;
};

} // namespace gpuinstr

#endif
