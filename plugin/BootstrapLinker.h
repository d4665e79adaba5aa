// Links the bootstrap's bitcode into the user's module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_BOOTSTRAPLINKER_H
#define GPUINSTR_PLUGIN_BOOTSTRAPLINKER_H

#include "llvm/IR/Module.h"
#include <string>

namespace gpuinstr {

/// The image's function table, declared in M until linkBootstrap defines it.
llvm::GlobalVariable *functionTable(llvm::Module &M);

/// Path of libgpuinstr_rt.so beside this plugin, "" when the loader does not tell.
std::string runtimeBesidePlugin();

/// Registers Descriptor in a constructor that runs before those of any priority, unregisters it in
/// a destructor, and defines all that they and the instrumented code use. Returns "" or an error.
std::string linkBootstrap(llvm::Module &M, llvm::GlobalVariable *Descriptor,
                          const std::string &RuntimePath);

} // namespace gpuinstr

#endif
