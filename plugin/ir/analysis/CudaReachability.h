// Which functions of a module contain CUDA calls, directly or through the functions they call.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_CUDAREACHABILITY_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_CUDAREACHABILITY_H

#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/DenseSet.h"

namespace gpuinstr {

class CudaReachability {
public:
  CudaReachability(llvm::Module &M, ModuleView &View);
  bool contains(const llvm::Function &F) const { return Reaching.contains(&F); }
  /// A std:: function that calls something unknown: std::function's call, a deleter.
  bool callsBack(const llvm::Function &F) const { return CallingBack.contains(&F); }
  /// A function of a header that returns what one of another file allocates, of CUDA or not.
  bool returnsUnseen(const llvm::Function &F) const { return ReturningUnseen.contains(&F); }

private:
  llvm::DenseSet<const llvm::Function *> Reaching, CallingBack, ReturningUnseen;
};

} // namespace gpuinstr

#endif
