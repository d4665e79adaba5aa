// Inline PTX in carried code: the documented instructions, as LLVM instructions for the host.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_INLINEPTX_H
#define GPUINSTR_PLUGIN_SIMULATE_INLINEPTX_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Instructions.h"
#include <string>

namespace gpuinstr {

struct PtxTranslation {
  std::string Problem;    ///< the instruction that is not on the list, "" none
  std::string Collective; ///< NVVM name of an operation in which threads meet, "" none
};

/// Replaces the call of inline PTX by what it does, or leaves it and names the Problem.
PtxTranslation translatePtx(llvm::CallInst &Asm, const llvm::StringSet<> &Library);

} // namespace gpuinstr

#endif
