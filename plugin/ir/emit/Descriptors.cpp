// Emits the descriptors of gpuinstr/abi.h as constants of the user's module.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/Descriptors.h"
#include "SiteTable.h"
#include "compat/LLVMCompat.h"
#include "embed/BootstrapLinker.h"
#include "ir/analysis/ModuleNames.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// With -fdata-sections each would get a section of its own. Nothing is lost: the module's
/// constructor refers to all of them.
constexpr StringLiteral SiteSection = ".data.gpuinstr";

/// A number or an address.
struct Field {
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Field(T Number) : Number(Number) {}
  Field(Constant *Address) : Address(Address) {}

  uint64_t Number = 0;
  Constant *Address = nullptr;
};

/// Values for all fields of a structure of abi.h, in order.
Constant *structure(StructType *Layout, std::initializer_list<Field> Fields) {
  if (Layout->getNumElements() != Fields.size())
    report_fatal_error("gpuinstr: abi.h and Descriptors.cpp differ");
  SmallVector<Constant *, 20> Values;
  for (const Field &F : Fields) {
    Type *T = Layout->getElementType(Values.size());
    if (T->isPointerTy() != (F.Address != nullptr))
      report_fatal_error("gpuinstr: abi.h and Descriptors.cpp differ");
    Values.push_back(F.Address ? F.Address : ConstantInt::get(T, F.Number));
  }
  return ConstantStruct::get(Layout, Values);
}

} // namespace

DescriptorEmitter::DescriptorEmitter(Module &M) : M(M), C(M.getContext()) {}

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

Constant *DescriptorEmitter::array(ArrayRef<Constant *> Elements, StringRef Name) {
  if (Elements.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(C));
  auto *T = ArrayType::get(Elements[0]->getType(), Elements.size());
  return constant(ConstantArray::get(T, Elements), Name);
}

Constant *DescriptorEmitter::textArray(ArrayRef<std::string> List, StringRef Name) {
  SmallVector<Constant *, 8> Elements;
  for (const std::string &T : List)
    Elements.push_back(text(T));
  return array(Elements, Name);
}

/// The arguments stand behind the site, in the same object: half as many objects a module.
GlobalVariable *DescriptorEmitter::define(StructType *Layout, const Site &S) {
  Type *Pointer = PointerType::getUnqual(C);
  std::vector<std::string> Texts = S.Arguments;
  bool Named = (S.Flags & GPUINSTR_SITE_WRAPPER) && S.Op != GPUINSTR_OP_CALLER;
  if (Named)
    Texts.insert(Texts.end(), S.Parameters.begin(), S.Parameters.end());
  ArrayType *List = ArrayType::get(Pointer, Texts.size() + Named);
  auto *Whole = StructType::get(C, {Layout, List});
  // Not constant: the runtime writes `index`.
  auto *G =
      new GlobalVariable(M, Whole, false, GlobalValue::InternalLinkage, nullptr, "__gpuinstr_site");
  G->setAlignment(Align(8));
  if (compat::targetTriple(M).isOSBinFormatELF())
    G->setSection(SiteSection);
  GlobalValue::SanitizerMetadata Plain;
  Plain.NoAddress = Plain.NoHWAddress = true;
  G->setSanitizerMetadata(Plain);

  SmallVector<Constant *, 8> Arguments;
  for (const std::string &T : Texts)
    Arguments.push_back(text(T));
  if (Named)
    Arguments.push_back(ConstantPointerNull::get(PointerType::getUnqual(C)));
  Constant *First = ConstantPointerNull::get(PointerType::getUnqual(C));
  if (!Arguments.empty())
    First = ConstantExpr::getInBoundsGetElementPtr(
        Type::getInt8Ty(C), G, ConstantInt::get(Type::getInt64Ty(C), sizeof(gpuinstr_site)));
  Constant *Fields = structure(
      Layout, {sizeof(gpuinstr_site), 0, S.Op, S.Resource, S.Flags, S.Detail, S.Arguments.size(),
               S.Slots, S.Line, S.Column, S.Id, S.CalleeHash, text(S.File), text(S.Function),
               text(S.Callee), text(S.Variable), text(S.Type), text(S.Ignore), First});
  G->setInitializer(ConstantStruct::get(Whole, {Fields, ConstantArray::get(List, Arguments)}));
  return G;
}

void DescriptorEmitter::defineSites(const Bootstrap &Code) {
  StructType *Layout = Code.layout("site");
  for (std::size_t I = Defined.size(); I < Sites.size(); ++I)
    Defined.push_back(define(Layout, Sites[I]));
}

Constant *DescriptorEmitter::paramArray(StructType *Layout, ArrayRef<ParamDescription> Params) {
  SmallVector<Constant *, 8> Elements;
  for (const ParamDescription &P : Params)
    Elements.push_back(structure(Layout, {text(P.Name), text(P.Type), P.Bytes,
                                          static_cast<uint8_t>(P.Pointer), P.Access, 0}));
  return array(Elements, "__gpuinstr_params");
}

Constant *DescriptorEmitter::kernelArray(const Bootstrap &Code, const SiteTable *Table,
                                         unsigned &Count) {
  StructType *Param = Code.layout("param"), *Layout = Code.layout("kernel");
  SmallVector<Constant *, 16> Kernels;
  for (const KernelDescription &K : Table ? Table->kernels() : std::vector<KernelDescription>()) {
    GlobalValue *Stub = M.getNamedValue(K.StubSymbol);
    // A declaration that nothing uses would become a reference that nothing resolves.
    if (!Stub || (Stub->isDeclaration() && Stub->use_empty()))
      continue;
    Constant *Params = paramArray(Param, K.Params);
    Kernels.push_back(structure(Layout, {sizeof(gpuinstr_kernel), K.Params.size(), K.Line, K.Flags,
                                         Stub, text(K.Name), text(K.File), Params}));
  }
  Count = Kernels.size();
  return array(Kernels, "__gpuinstr_kernels");
}

GlobalVariable *DescriptorEmitter::finish(const Bootstrap &Code, const SiteTable *Table,
                                          ArrayRef<std::string> AddressesTaken,
                                          StringRef Defaults) {
  StructType *Layout = Code.layout("module");
  defineSites(Code);
  unsigned NumKernels = 0;
  Constant *Kernels = kernelArray(Code, Table, NumKernels);
  auto *Descriptor = new GlobalVariable(M, Layout, false, GlobalValue::InternalLinkage, nullptr,
                                        "__gpuinstr_module");
  Descriptor->setInitializer(structure(
      Layout, {sizeof(gpuinstr_module), GPUINSTR_ABI_VERSION, 0, NumKernels, AddressesTaken.size(),
               0, ConstantPointerNull::get(PointerType::getUnqual(C)), Kernels,
               textArray(AddressesTaken, "__gpuinstr_addresses_taken"), text(sourceName(M)),
               text("gpuinstr " GPUINSTR_VERSION " clang " LLVM_VERSION_STRING), text(Defaults),
               Descriptor, array(Defined, "__gpuinstr_sites"), Sites.size(), 0}));
  Descriptor->setAlignment(Align(8));
  return Descriptor;
}

} // namespace gpuinstr
