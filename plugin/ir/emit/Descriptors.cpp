// Emits the descriptors of gpuinstr/abi.h as constants of the user's module.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/Descriptors.h"
#include "SiteTable.h"
#include "ir/analysis/ModuleNames.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace gpuinstr {

DescriptorEmitter::DescriptorEmitter(Module &M) : M(M), C(M.getContext()) {
  Type *I16 = Type::getInt16Ty(C), *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  Type *Ptr = PointerType::getUnqual(C);
  SiteType = StructType::get(C, {I32, I32, I16, I16, I32, I16, I16, I32, I32, I32, I64, I64, Ptr,
                                 Ptr, Ptr, Ptr, Ptr, Ptr, Ptr});
  assert(M.getDataLayout().getTypeAllocSize(SiteType) == sizeof(gpuinstr_site));
  Placeholder =
      new GlobalVariable(M, Type::getInt8Ty(C), false, GlobalValue::ExternalLinkage, nullptr);
}

unsigned DescriptorEmitter::add(Site S) {
  std::string Key = S.Function + '|' + S.Callee + '|' + S.Variable;
  if (S.Op == GPUINSTR_OP_CALLER)
    Key += "|caller";
  else if (S.Flags & GPUINSTR_SITE_INNER)
    Key += "|inner";
  unsigned Ordinal = Ordinals[Key]++;
  S.Id = stableHash(Key + '|' + std::to_string(Ordinal));
  Sites.push_back(std::move(S));
  return Sites.size() - 1;
}

Constant *DescriptorEmitter::address(unsigned Index) const {
  Constant *Offset = ConstantInt::get(Type::getInt64Ty(C), Index * sizeof(gpuinstr_site));
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(C), Placeholder, Offset);
}

GlobalVariable *DescriptorEmitter::constant(Constant *Value, StringRef Name) {
  auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                               GlobalValue::PrivateLinkage, Value, Name);
  return G;
}

Constant *DescriptorEmitter::text(StringRef Text) {
  Constant *&Known = Texts[Text];
  if (!Known) {
    GlobalVariable *G = constant(ConstantDataArray::getString(C, Text), "__gpuinstr_text");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    G->setAlignment(Align(1));
    Known = G;
  }
  return Known;
}

Constant *DescriptorEmitter::textArray(ArrayRef<std::string> List, StringRef Name) {
  PointerType *Ptr = PointerType::getUnqual(C);
  if (List.empty())
    return ConstantPointerNull::get(Ptr);
  SmallVector<Constant *, 8> Elements;
  for (const std::string &T : List)
    Elements.push_back(text(T));
  return constant(ConstantArray::get(ArrayType::get(Ptr, Elements.size()), Elements), Name);
}

Constant *DescriptorEmitter::siteConstant(const Site &S) {
  auto I16 = [&](uint64_t V) { return ConstantInt::get(Type::getInt16Ty(C), V); };
  auto I32 = [&](uint64_t V) { return ConstantInt::get(Type::getInt32Ty(C), V); };
  auto I64 = [&](uint64_t V) { return ConstantInt::get(Type::getInt64Ty(C), V); };
  return ConstantStruct::get(
      SiteType,
      {I32(sizeof(gpuinstr_site)), I32(0), I16(S.Op), I16(S.Resource), I32(S.Flags), I16(S.Detail),
       I16(S.Arguments.size()), I32(S.Slots), I32(S.Line), I32(S.Column), I64(S.Id),
       I64(S.CalleeHash), text(S.File), text(S.Function), text(S.Callee), text(S.Variable),
       text(S.Type), text(S.Ignore), textArray(S.Arguments, "__gpuinstr_arguments")});
}

Constant *DescriptorEmitter::kernelArray(const SiteTable *Table, unsigned &Count) {
  PointerType *Ptr = PointerType::getUnqual(C);
  Type *I8 = Type::getInt8Ty(C), *I16 = Type::getInt16Ty(C), *I32 = Type::getInt32Ty(C);
  auto *ParamType = StructType::get(C, {Ptr, Ptr, I32, I8, I8, I16});
  auto *KernelType = StructType::get(C, {I32, I32, I32, I32, Ptr, Ptr, Ptr, Ptr});
  assert(M.getDataLayout().getTypeAllocSize(ParamType) == sizeof(gpuinstr_param));
  assert(M.getDataLayout().getTypeAllocSize(KernelType) == sizeof(gpuinstr_kernel));
  auto Int = [&](Type *T, uint64_t V) { return ConstantInt::get(T, V); };
  SmallVector<Constant *, 16> Kernels;
  Count = 0;
  for (const KernelDescription &K : Table ? Table->kernels() : std::vector<KernelDescription>()) {
    GlobalValue *Stub = M.getNamedValue(K.StubSymbol);
    // A declaration that nothing uses would become a reference that nothing resolves.
    if (!Stub || (Stub->isDeclaration() && Stub->use_empty()))
      continue;
    SmallVector<Constant *, 8> Params;
    for (const ParamDescription &P : K.Params)
      Params.push_back(ConstantStruct::get(
          ParamType, {text(P.Name), text(P.Type), Int(I32, P.Bytes),
                      Int(I8, static_cast<uint8_t>(P.Pointer)), Int(I8, P.Access), Int(I16, 0)}));
    Constant *ParamArray = ConstantPointerNull::get(Ptr);
    if (!Params.empty())
      ParamArray = constant(ConstantArray::get(ArrayType::get(ParamType, Params.size()), Params),
                            "__gpuinstr_params");
    Kernels.push_back(ConstantStruct::get(
        KernelType, {Int(I32, sizeof(gpuinstr_kernel)), Int(I32, Params.size()), Int(I32, K.Line),
                     Int(I32, 0), Stub, text(K.Name), text(K.File), ParamArray}));
  }
  Count = Kernels.size();
  if (Kernels.empty())
    return ConstantPointerNull::get(Ptr);
  return constant(ConstantArray::get(ArrayType::get(KernelType, Count), Kernels),
                  "__gpuinstr_kernels");
}

GlobalVariable *DescriptorEmitter::finish(const SiteTable *Table,
                                          ArrayRef<std::string> AddressesTaken,
                                          StringRef Defaults) {
  PointerType *Ptr = PointerType::getUnqual(C);
  Type *I32 = Type::getInt32Ty(C);
  SmallVector<Constant *, 32> Elements;
  for (const Site &S : Sites)
    Elements.push_back(siteConstant(S));
  auto *ArrayTy = ArrayType::get(SiteType, Elements.size());
  // Not constant: the runtime writes `index`.
  auto *Array = new GlobalVariable(M, ArrayTy, false, GlobalValue::InternalLinkage,
                                   ConstantArray::get(ArrayTy, Elements), "__gpuinstr_sites");
  Array->setAlignment(Align(8));
  Placeholder->replaceAllUsesWith(Array);
  Placeholder->eraseFromParent();

  unsigned NumKernels = 0;
  Constant *Kernels = kernelArray(Table, NumKernels);
  auto *ModuleType =
      StructType::get(C, {I32, I32, I32, I32, I32, I32, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr, Ptr});
  assert(M.getDataLayout().getTypeAllocSize(ModuleType) == sizeof(gpuinstr_module));
  auto *Descriptor = new GlobalVariable(M, ModuleType, false, GlobalValue::InternalLinkage, nullptr,
                                        "__gpuinstr_module");
  auto Int = [&](uint64_t V) { return ConstantInt::get(I32, V); };
  Descriptor->setInitializer(ConstantStruct::get(
      ModuleType, {Int(sizeof(gpuinstr_module)), Int(GPUINSTR_ABI_VERSION), Int(Sites.size()),
                   Int(NumKernels), Int(AddressesTaken.size()), Int(0), Array, Kernels,
                   textArray(AddressesTaken, "__gpuinstr_addresses_taken"), text(sourceName(M)),
                   text("gpuinstr " GPUINSTR_VERSION " clang " LLVM_VERSION_STRING), text(Defaults),
                   Descriptor}));
  Descriptor->setAlignment(Align(8));
  return Descriptor;
}

} // namespace gpuinstr
