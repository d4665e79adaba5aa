// The simulated device's library: bitcode inside the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "Library.h"
#include "LLVMCompat.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned char Device[] = {
#include "DeviceLibraryBitcode.inc"
};
constexpr unsigned char Math[] = {
#include "DeviceMathBitcode.inc"
};

Expected<std::unique_ptr<Module>> read(ArrayRef<unsigned char> Bytes, LLVMContext &C) {
  return parseBitcodeFile(
      MemoryBufferRef(StringRef(reinterpret_cast<const char *>(Bytes.data()), Bytes.size()),
                      "gpuinstr-device-library"),
      C);
}

/// How the library was compiled must not meet how the user's module is.
void neutralise(Module &M) {
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

} // namespace

const StringSet<> &libraryNames() {
  static const auto *Names = [] {
    auto *Set = new StringSet<>;
    LLVMContext C;
    for (ArrayRef<unsigned char> Bytes :
         {ArrayRef<unsigned char>(Device), ArrayRef<unsigned char>(Math)})
      if (auto M = read(Bytes, C)) {
        for (const Function &F : **M)
          if (!F.isDeclaration())
            Set->insert(F.getName());
      } else {
        consumeError(M.takeError());
      }
    return Set;
  }();
  return *Names;
}

std::string linkLibrary(Module &M) {
  for (ArrayRef<unsigned char> Bytes :
       {ArrayRef<unsigned char>(Device), ArrayRef<unsigned char>(Math)}) {
    Expected<std::unique_ptr<Module>> Part = read(Bytes, M.getContext());
    if (!Part)
      return toString(Part.takeError());
    neutralise(**Part);
    compat::copyTarget(**Part, M);
    if (Linker::linkModules(M, std::move(*Part), Linker::LinkOnlyNeeded))
      return "the device library cannot be linked into the module";
  }
  for (Function &F : M)
    if (!F.isDeclaration() && libraryNames().contains(F.getName()))
      F.setLinkage(GlobalValue::InternalLinkage);
  return "";
}

} // namespace gpuinstr
