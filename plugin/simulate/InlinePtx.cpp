// Inline PTX in carried code: the documented instructions, as LLVM instructions for the host.
// SPDX-License-Identifier: Apache-2.0
#include "InlinePtx.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gpuinstr {

PtxTranslation translatePtx(CallInst &Asm, const StringSet<> &Library) {
  PtxTranslation Result;
  Result.Problem = std::string(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString());
  return Result;
}

} // namespace gpuinstr
