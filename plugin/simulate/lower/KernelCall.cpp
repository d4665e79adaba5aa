// A call of a lowered kernel for one thread.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/lower/KernelCall.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpuinstr {

void callKernel(IRBuilder<> &B, Function &Kernel, Value *Thread, ArrayRef<Value *> Values) {
  SmallVector<Value *, 8> Arguments{Thread};
  Arguments.append(Values.begin(), Values.end());
  CallInst *Call = B.CreateCall(&Kernel, Arguments);
  LLVMContext &C = B.getContext();
  for (unsigned I = 1; I < Kernel.arg_size(); ++I)
    if (Kernel.getArg(I)->hasByValAttr()) {
      Call->addParamAttr(I, Attribute::getWithByValType(C, Kernel.getParamByValType(I)));
      Call->addParamAttr(I, Attribute::getWithAlignment(C, Kernel.getParamAlign(I).valueOrOne()));
    }
  Kernel.removeFnAttr(Attribute::NoInline);
  Call->addFnAttr(Attribute::AlwaysInline);
}

} // namespace gpuinstr
