// The embedded bootstrap: the layout of abi.h's structures, and linking into the user's module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_EMBED_BOOTSTRAPLINKER_H
#define GPUINSTR_PLUGIN_EMBED_BOOTSTRAPLINKER_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace gpuinstr {

/// The image's function table, declared in M until Bootstrap::link defines it.
llvm::GlobalVariable *functionTable(llvm::Module &M);
/// Null where nothing has asked for it.
llvm::GlobalVariable *knownFunctionTable(llvm::Module &M);

/// void Name(): calls Callee, of the same image, with Record, or with nothing where that is null.
/// For the lists of constructors and destructors.
llvm::Function *makeRegistrar(llvm::Module &M, llvm::Constant *Record, llvm::StringRef Name,
                              llvm::StringRef Callee);

/// Of a gpuinstr_packed.
llvm::Function *unpacker(llvm::Module &M);

/// Path of libgpuinstr_rt.so beside this plugin, "" when the loader does not tell.
std::string runtimeBesidePlugin();

/// The bootstrap's code, read into the context of the user's module.
class Bootstrap {
public:
  static llvm::Expected<Bootstrap> read(llvm::LLVMContext &C);

  /// The fields of a structure of abi.h as C lays them out: "site" for gpuinstr_site.
  llvm::StructType *layout(llvm::StringRef Name) const;

  /// Registers Descriptor in a constructor that runs before those of any priority, unregisters it
  /// in a destructor, and defines all that they and the instrumented code use. Returns "" or an
  /// error. To be called once.
  /// HasPacked: some sites are packed, behind Descriptor stands where.
  std::string link(llvm::Module &M, llvm::GlobalVariable *Descriptor, bool HasPacked,
                   const std::string &RuntimePath);

private:
  explicit Bootstrap(std::unique_ptr<llvm::Module> Code) : Code(std::move(Code)) {}

  std::unique_ptr<llvm::Module> Code;
};

} // namespace gpuinstr

#endif
