// Site descriptors as the plugin plans them, and their emission into the module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H
#define GPUINSTR_PLUGIN_IR_EMIT_DESCRIPTORS_H

#include "ir/emit/PackedSites.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include <deque>
#include <string>
#include <vector>

namespace gpuinstr {

class Bootstrap;
class SiteTable;
struct ParamDescription;

/// Collects the sites of a module. Each that a function refers to becomes an object of its own:
/// passes that follow a function's references would walk one array of them all again for every
/// function. Those that calls name by number stand in an array, which few functions refer to,
/// packed.
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
  /// The gpuinstr_packed of that array.
  llvm::GlobalVariable *packed() const { return Record; }
  /// Of some site that is an object of its own, null where there is none.
  llvm::Constant *anyAddress() const { return AnyObject; }
  /// Before it is declared.
  void flag(unsigned Index, uint32_t Flags) { Sites[Index].Flags |= Flags; }
  /// `this->host` for `host`: the object's user has another name for it.
  void nameMembers(unsigned Index);
  const std::deque<Site> &sites() const { return Sites; }
  bool empty() const { return Sites.empty(); }

  /// Writes the kernels and the module descriptor, which it returns, and forgets what sites() has.
  /// To be called once, after the last add. IsFinal: as codeRanges.
  llvm::GlobalVariable *finish(const Bootstrap &Code, const SiteTable *Table,
                               llvm::ArrayRef<std::string> AddressesTaken, llvm::StringRef Defaults,
                               bool IsFinal);
  /// Defines what has been declared. Behind most passes: the contents are of no use to them, and
  /// some walk all constants that anything refers to. To be called once.
  void complete();

private:
  llvm::Constant *text(llvm::StringRef Text);
  llvm::Constant *textArray(llvm::ArrayRef<std::string> Texts, llvm::StringRef Name);
  llvm::GlobalVariable *declare(llvm::Type *Type, llvm::StringRef Name, bool Constant = false);
  llvm::GlobalVariable *declareArray();
  llvm::GlobalVariable *declareSite(const Site &S);
  void addBehind(const Site &S, llvm::SmallVectorImpl<llvm::Constant *> &Out);
  void defineSite(llvm::GlobalVariable &G, const Site &S);
  void packSites();
  llvm::Constant *paramArray(llvm::StructType *Layout, llvm::ArrayRef<ParamDescription> Params);
  llvm::Constant *memberArray(llvm::StructType *Layout, llvm::ArrayRef<ParamDescription> Params,
                              unsigned &Count);
  llvm::Constant *kernelArray(const Bootstrap &Code, const SiteTable *Table, unsigned &Count);
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> Elements, llvm::StringRef Name);
  llvm::GlobalVariable *constant(llvm::Constant *Value, llvm::StringRef Name);

  llvm::Module &M;
  llvm::LLVMContext &C;
  std::deque<Site> Sites;            ///< from finish on those that are objects of their own
  llvm::BitVector Numbered;          ///< by index, as the next two
  std::vector<llvm::WeakVH> Objects; ///< null: numbered, or dropped because nothing refers to it
  std::vector<unsigned> Numbers;
  llvm::StructType *Layout = nullptr;     ///< of a site
  PackedSites Packed;                     ///< the numbered ones, from finish on
  llvm::WeakVH Array;                     ///< of them
  llvm::GlobalVariable *Record = nullptr; ///< the module's descriptor refers to it
  llvm::Constant *AnyObject = nullptr;
  llvm::GlobalVariable *List = nullptr; ///< the addresses of all sites
  llvm::StringMap<unsigned> Ordinals;
  llvm::StringMap<llvm::Constant *> Texts;
};

} // namespace gpuinstr

#endif
