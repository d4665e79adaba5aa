// Links the bootstrap's bitcode into the user's module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_EMBED_BOOTSTRAPLINKER_H
#define GPUINSTR_PLUGIN_EMBED_BOOTSTRAPLINKER_H

#include "llvm/IR/Module.h"
#include <string>

namespace gpuinstr {

/// The image's function table, declared in M until linkBootstrap defines it.
llvm::GlobalVariable *functionTable(llvm::Module &M);

/// void Name(): calls Callee, of the same image, with Record, or with nothing where that is null.
/// For the lists of constructors and destructors.
llvm::Function *makeRegistrar(llvm::Module &M, llvm::Constant *Record, llvm::StringRef Name,
                              llvm::StringRef Callee);

/// Path of libgpuinstr_rt.so beside this plugin, "" when the loader does not tell.
std::string runtimeBesidePlugin();

/// Registers Descriptor in a constructor that runs before those of any priority, unregisters it in
/// a destructor, and defines all that they and the instrumented code use. Returns "" or an error.
std::string linkBootstrap(llvm::Module &M, llvm::GlobalVariable *Descriptor,
                          const std::string &RuntimePath);

} // namespace gpuinstr

#endif
