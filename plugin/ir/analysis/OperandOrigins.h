// Where the operands of a function's calls come from: from who called it, or from itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_OPERANDORIGINS_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_OPERANDORIGINS_H

#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace gpuinstr {

/// In the order in which they win where several meet.
enum class Origin : uint8_t {
  Constant, ///< a number, a global variable or what it holds
  Given,    ///< a parameter, a member of the object, what the function returns or hands on
  Other,    ///< a local variable, the result of a call, what a lambda captured
};

/// By its symbol.
bool isConstructor(llvm::StringRef Symbol);

/// Of one function's values, at the start of the pipeline: variables still lie in memory.
class OperandOrigins {
public:
  OperandOrigins(const llvm::Function &F, ModuleView &View);
  Origin of(const llvm::Value &V);
  /// Whether V gets out: returned, or stored where the caller finds it.
  bool isHandedOn(const llvm::Value &V);
  /// The same by return alone.
  bool isReturned(const llvm::Value &V);

private:
  Origin compute(const llvm::Value &V);
  Origin ofResult(const llvm::CallBase &Call);
  Origin ofContents(const llvm::AllocaInst &Variable);
  bool isHandedOnFrom(const llvm::AllocaInst &Variable);
  bool isHandedOnBy(const llvm::User &U, const llvm::Value &V);

  const llvm::Argument *Closure = nullptr; ///< a lambda's captures belong to who wrote it
  ModuleView &View;
  llvm::DenseMap<const llvm::Value *, Origin> Known;
  llvm::DenseMap<const llvm::Value *, bool> HandedOn, Returned;
};

} // namespace gpuinstr

#endif
