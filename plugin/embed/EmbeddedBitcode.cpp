// Reads bitcode that was compiled into the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "embed/EmbeddedBitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

namespace gpuinstr {

Expected<std::unique_ptr<Module>> readBitcode(ArrayRef<unsigned char> Bytes, StringRef Name,
                                              LLVMContext &C) {
  StringRef Text(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  return parseBitcodeFile(MemoryBufferRef(Text, Name), C);
}

void stripBuildTraces(Module &M) {
  if (NamedMDNode *Flags = M.getModuleFlagsMetadata())
    Flags->eraseFromParent();
  if (NamedMDNode *Ident = M.getNamedMetadata("llvm.ident"))
    Ident->eraseFromParent();
  for (Function &F : M) {
    AttributeMask Remove;
    for (const Attribute &A : F.getAttributes().getFnAttrs())
      if (A.isStringAttribute())
        Remove.addAttribute(A.getKindAsString());
    Remove.addAttribute(Attribute::UWTable);
    F.removeFnAttrs(Remove);
  }
}

} // namespace gpuinstr
