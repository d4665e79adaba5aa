// Which values are nothing but streams that CUDA's calls get.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_FLOW_STREAMUSES_H
#define GPUINSTR_PLUGIN_IR_FLOW_STREAMUSES_H

#include "ir/analysis/CudaReachability.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace gpuinstr {

/// At the start of the pipeline: variables still lie in memory.
class StreamUses {
public:
  StreamUses(ModuleView &View, const CudaReachability &Reaching) : View(View), Reaching(Reaching) {}

  /// Whether all that comes of V are the streams of CUDA's calls, here and in functions that get
  /// it, and there is one: getStream(), Context::get() where that is `Context::get().stream()`.
  bool isStream(const llvm::Value &V) { return of(V) == Use::Stream; }

private:
  /// In the order in which they win where several meet.
  enum class Use : uint8_t { None, Stream, Other };
  Use of(const llvm::Value &V);
  Use by(const llvm::User &U, const llvm::Value &V);
  Use ofContents(const llvm::AllocaInst &Variable);
  Use inCall(const llvm::CallBase &Call, const llvm::Value &V);
  const ApiEntry *entryOf(const llvm::Function &Callee);

  ModuleView &View;
  const CudaReachability &Reaching;
  llvm::DenseMap<const llvm::Value *, Use> Known;
};

} // namespace gpuinstr

#endif
