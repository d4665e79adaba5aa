// Names and hashes that stay the same from build to build, and variables of both sides.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/ModuleNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
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

/// As __cudaRegisterVar gets it, in nvcc's code and in clang's of the old offload driver.
static GlobalVariable *registeredConstant(const User *U) {
  constexpr unsigned NameArgument = 1, ConstantArgument = 6;
  const auto *Call = dyn_cast<CallBase>(U);
  const auto *IsConstant = Call && Call->arg_size() > ConstantArgument
                               ? dyn_cast<ConstantInt>(Call->getArgOperand(ConstantArgument))
                               : nullptr;
  if (!IsConstant || IsConstant->isZero())
    return nullptr;
  return dyn_cast<GlobalVariable>(Call->getArgOperand(NameArgument)->stripPointerCasts());
}

/// Of clang's new offload driver: an entry that the linker wrapper registers. The layouts of LLVM
/// 19 and of later ones have the flags in the same place, and the variable first of all addresses.
static GlobalVariable *constantOfEntry(const GlobalVariable &Entry) {
  constexpr unsigned FlagsField = 3, OffloadGlobalConstant = 1u << 4;
  const auto *Fields = Entry.getName().starts_with(".offloading.entry.") && Entry.hasInitializer()
                           ? dyn_cast<ConstantStruct>(Entry.getInitializer())
                           : nullptr;
  const auto *Flags = Fields && Fields->getNumOperands() > FlagsField
                          ? dyn_cast<ConstantInt>(Fields->getOperand(FlagsField))
                          : nullptr;
  if (!Flags || !(Flags->getZExtValue() & OffloadGlobalConstant))
    return nullptr;
  for (const Use &Field : Fields->operands())
    if (Field->getType()->isPointerTy())
      return dyn_cast<GlobalVariable>(Field.get()->stripPointerCasts());
  return nullptr;
}

SmallVector<GlobalVariable *, 4> constantVariables(Module &M) {
  SmallSetVector<GlobalVariable *, 4> All;
  auto Add = [&](GlobalVariable *Variable) {
    if (Variable)
      All.insert(Variable);
  };
  if (const Function *Register = M.getFunction("__cudaRegisterVar"))
    for (const User *U : Register->users())
      Add(registeredConstant(U));
  for (const GlobalVariable &Entry : M.globals())
    Add(constantOfEntry(Entry));
  return All.takeVector();
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
