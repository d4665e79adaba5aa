// Names and hashes that stay the same from build to build, and variables of both sides.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/ModuleNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace gpuinstr {

uint64_t stableHash(StringRef Text) {
  uint64_t Hash = xxh3_64bits(Text);
  return Hash ? Hash : 1;
}

bool isTemporaryFile(StringRef Path) {
  return Path.contains(".cudafe1.") || Path.contains("tmpxft_");
}

static const Function *registersManaged(const Module &M) {
  return M.getFunction("__cudaRegisterManagedVar");
}

bool hasManagedVariables(const Module &M) {
  const Function *Register = registersManaged(M);
  return Register && !Register->use_empty();
}

bool managedVariablesMayHoldAddresses(const Module &M) {
  constexpr unsigned SizeArgument = 5, AddressBytes = 8;
  const Function *Register = registersManaged(M);
  return Register && any_of(Register->users(), [](const User *U) {
           const auto *Call = dyn_cast<CallBase>(U);
           const auto *Size = Call && Call->arg_size() > SizeArgument
                                  ? dyn_cast<ConstantInt>(Call->getArgOperand(SizeArgument))
                                  : nullptr;
           return !Size || Size->uge(AddressBytes);
         });
}

StringRef mangledSymbol(StringRef Symbol) { return Symbol.substr(0, Symbol.find(".__uniq.")); }

StringMap<StringRef> renamedFunctions(const Module &M) {
  StringMap<StringRef> Out;
  for (const Function &F : M)
    if (StringRef Mangled = mangledSymbol(F.getName()); Mangled != F.getName())
      Out[Mangled] = F.getName();
  return Out;
}

std::string sourceName(const Module &M) {
  std::string Name = M.getSourceFileName();
  // Not debug_compile_units(), which passes over units that emit no debug information.
  if (const NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu"))
    for (const MDNode *Unit : Units->operands())
      if (const DIFile *File = cast<DICompileUnit>(Unit)->getFile())
        Name = File->getFilename().str();
  if (!isTemporaryFile(Name))
    return Name;
  for (const Function &F : M)
    if (const DISubprogram *S = F.getSubprogram()) {
      StringRef Ending = sys::path::extension(S->getFilename());
      if (!isTemporaryFile(S->getFilename()) &&
          (Ending == ".cu" || Ending.starts_with(".c") || Ending == ".C") && Ending != ".cuh")
        return S->getFilename().str();
    }
  return "";
}

} // namespace gpuinstr
