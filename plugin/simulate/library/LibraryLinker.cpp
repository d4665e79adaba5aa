// Links the simulated device's library, which the plugin holds as bitcode.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/library/LibraryLinker.h"
#include "compat/LLVMCompat.h"
#include "embed/EmbeddedBitcode.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned char Device[] = {
#include "DeviceLibraryBitcode.inc"
};
constexpr unsigned char Loops[] = {
#include "DeviceLoopsBitcode.inc"
};
constexpr unsigned char Math[] = {
#include "DeviceMathBitcode.inc"
};
constexpr unsigned char Ptx[] = {
#include "DevicePtxBitcode.inc"
};
constexpr unsigned char Narrow[] = {
#include "DeviceNarrowBitcode.inc"
};
constexpr unsigned char Async[] = {
#include "DeviceAsyncBitcode.inc"
};

constexpr ArrayRef<unsigned char> Parts[] = {Device, Loops, Math, Ptx, Narrow, Async};
constexpr StringLiteral Name = "gpuinstr-device-library";

} // namespace

const StringSet<> &libraryNames() {
  static const auto *Names = [] {
    auto *Set = new StringSet<>;
    LLVMContext C;
    for (ArrayRef<unsigned char> Bytes : Parts)
      if (auto M = readBitcode(Bytes, Name, C)) {
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
  for (ArrayRef<unsigned char> Bytes : Parts) {
    Expected<std::unique_ptr<Module>> Part = readBitcode(Bytes, Name, M.getContext());
    if (!Part)
      return toString(Part.takeError());
    stripBuildTraces(**Part);
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
