// Emits the descriptors of gpuinstr/abi.h as constants of the user's module.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/Descriptors.h"
#include "SiteTable.h"
#include "compat/LLVMCompat.h"
#include "embed/BootstrapLinker.h"
#include "ir/analysis/ModuleNames.h"
#include "ir/late/CodeRanges.h"
#include "ir/late/RuntimeFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include <algorithm>

using namespace llvm;

namespace gpuinstr {
namespace {

/// With -fdata-sections each would get a section of its own. Nothing is lost: the module's
/// constructor refers to all of them.
constexpr StringLiteral SiteSection = ".data.gpuinstr";

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

void define(GlobalVariable &G, Constant *Value) {
  G.setInitializer(Value);
  G.setLinkage(GlobalValue::InternalLinkage);
}

Constant *at(Constant *Object, uint64_t Offset) {
  LLVMContext &C = Object->getContext();
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(C), Object,
                                                ConstantInt::get(Type::getInt64Ty(C), Offset));
}

} // namespace

DescriptorEmitter::DescriptorEmitter(Module &M) : M(M), C(M.getContext()) {}

void DescriptorEmitter::nameMembers(unsigned Index) {
  Site &S = Sites[Index];
  for (std::size_t I = 0; I < std::min(S.Arguments.size(), S.Members.size()); ++I) {
    StringRef Rest = S.Arguments[I]; // the source's text, where cudafe++ has another
    if (!S.Members[I].empty() && Rest.consume_front(S.Members[I]) &&
        (Rest.empty() || !(isAlnum(Rest[0]) || Rest[0] == '_')))
      S.Arguments[I].insert(0, "this->");
  }
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

/// Sites are not constant: the runtime writes `index`.
GlobalVariable *DescriptorEmitter::declare(Type *T, StringRef Name, bool Constant) {
  auto *G = new GlobalVariable(M, T, Constant, GlobalValue::ExternalLinkage, nullptr, Name);
  G->setDSOLocal(true);
  G->setAlignment(Align(8));
  if (!Constant && compat::targetTriple(M).isOSBinFormatELF())
    G->setSection(SiteSection);
  GlobalValue::SanitizerMetadata Plain;
  Plain.NoAddress = Plain.NoHWAddress = true;
  G->setSanitizerMetadata(Plain);
  return G;
}

/// The texts stand behind the site, in the same object: half as many objects a module.
GlobalVariable *DescriptorEmitter::declareSite(const Site &S) {
  ArrayType *Behind = ArrayType::get(PointerType::getUnqual(C), S.numBehind());
  return declare(StructType::get(C, {Layout, Behind}), "__gpuinstr_site");
}

/// The site's arguments, and where it names its function's parameters these and a null.
void DescriptorEmitter::addBehind(const Site &S, SmallVectorImpl<Constant *> &Out) {
  for (const std::string &T : S.Arguments)
    Out.push_back(text(T));
  if (!S.namesParameters())
    return;
  for (const std::string &T : S.Parameters)
    Out.push_back(text(T));
  Out.push_back(ConstantPointerNull::get(PointerType::getUnqual(C)));
}

GlobalVariable *DescriptorEmitter::declareArray() {
  return declare(ArrayType::get(Layout, Numbered.count()), "__gpuinstr_numbered");
}

void DescriptorEmitter::defineSite(GlobalVariable &G, const Site &S) {
  auto *Whole = cast<StructType>(G.getValueType());
  SmallVector<Constant *, 8> Arguments;
  addBehind(S, Arguments);
  Constant *First = ConstantPointerNull::get(PointerType::getUnqual(C));
  if (!Arguments.empty())
    First = at(&G, sizeof(gpuinstr_site));
  auto *Behind = cast<ArrayType>(Whole->getElementType(1));
  Constant *Fields = withFields(
      S, First, S.CalleeHash, [this](StringRef T) { return Field(text(T)); },
      [this](std::initializer_list<Field> F) { return structure(Layout, F); });
  define(G, ConstantStruct::get(Whole, {Fields, ConstantArray::get(Behind, Arguments)}));
}

/// Most of what is known of the sites becomes few bytes: the optimiser has its own peak next.
void DescriptorEmitter::packSites() {
  if (Numbered.none())
    return;
  Packed = PackedSites(M, Layout, Numbered.count());
  std::deque<Site> Others;
  for (unsigned I = 0; !Sites.empty(); ++I, Sites.pop_front()) {
    if (Numbered[I])
      Packed.add(Sites.front());
    else
      Others.push_back(std::move(Sites.front()));
  }
  Sites = std::move(Others);
  Packed.close();
}

void DescriptorEmitter::declareSites(const Bootstrap &Code, const BitVector &ByNumber) {
  Layout = Code.layout("site");
  Numbered = ByNumber;
  Numbered.resize(Sites.size());
  Objects.resize(Sites.size());
  Numbers.resize(Sites.size());
  unsigned Next = 0;
  for (std::size_t I = 0; I < Sites.size(); ++I) {
    if (Numbered[I]) {
      Numbers[I] = Next++;
      continue;
    }
    GlobalVariable *G = declareSite(Sites[I]);
    Objects[I] = G;
    AnyObject = AnyObject ? AnyObject : G;
  }
  if (Next) {
    Array = declareArray();
    Record = declare(Code.layout("packed"), "__gpuinstr_packed");
  }
  if (!Sites.empty())
    List = declare(ArrayType::get(PointerType::getUnqual(C), Sites.size()), "__gpuinstr_sites",
                   /*Constant=*/!Next);
}

void DescriptorEmitter::complete() {
  if (!List)
    return;
  std::vector<Constant *> Addresses(Objects.size(),
                                    ConstantPointerNull::get(PointerType::getUnqual(C)));
  Texts.clear(); // other passes have merged them
  std::size_t Next = 0;
  for (std::size_t I = 0; I < Objects.size(); ++I) {
    if (Numbered[I])
      continue;
    const Site &S = Sites[Next++];
    // Its function may be gone.
    auto *G = cast_or_null<GlobalVariable>(static_cast<Value *>(Objects[I]));
    if (!G)
      G = declareSite(S);
    defineSite(*G, S);
    Addresses[I] = G;
  }
  define(*List, ConstantArray::get(cast<ArrayType>(List->getValueType()), Addresses));
  List->setLinkage(GlobalValue::PrivateLinkage);
  if (Packed.empty())
    return;
  if (!numbered()) // its functions are gone
    Array = declareArray();
  Packed.define(*packed(), *numbered(), *List);
}

Constant *DescriptorEmitter::paramArray(StructType *Layout, ArrayRef<ParamDescription> Params) {
  SmallVector<Constant *, 8> Elements;
  for (const ParamDescription &P : Params)
    Elements.push_back(structure(Layout, {text(P.Name), text(P.Type), P.Bytes,
                                          static_cast<uint8_t>(P.Pointer), P.Access, 0}));
  return array(Elements, "__gpuinstr_params");
}

Constant *DescriptorEmitter::memberArray(StructType *Layout, ArrayRef<ParamDescription> Params,
                                         unsigned &Count) {
  SmallVector<Constant *, 8> Elements;
  for (unsigned I = 0; I < Params.size(); ++I)
    for (const MemberDescription &M : Params[I].Members)
      Elements.push_back(structure(Layout, {I, M.Access, 0, M.Offset}));
  Count = Elements.size();
  return array(Elements, "__gpuinstr_members");
}

Constant *DescriptorEmitter::kernelArray(const Bootstrap &Code, const SiteTable *Table,
                                         unsigned &Count) {
  StructType *Param = Code.layout("param"), *Member = Code.layout("member"),
             *Layout = Code.layout("kernel");
  SmallVector<Constant *, 16> Kernels;
  const StringMap<StringRef> Renamed = renamedFunctions(M);
  for (const KernelDescription &K : Table ? Table->kernels() : std::vector<KernelDescription>()) {
    GlobalValue *Stub = M.getNamedValue(K.StubSymbol);
    if (!Stub)
      Stub = M.getNamedValue(Renamed.lookup(K.StubSymbol));
    // A declaration that nothing uses would become a reference that nothing resolves.
    if (!Stub || (Stub->isDeclaration() && Stub->use_empty()))
      continue;
    Constant *Params = paramArray(Param, K.Params);
    unsigned NumMembers = 0;
    Constant *Members = memberArray(Member, K.Params, NumMembers);
    Kernels.push_back(
        structure(Layout, {sizeof(gpuinstr_kernel), K.Params.size(), K.Line, K.Flags, Stub,
                           text(K.Name), text(K.File), Params, Members, NumMembers, 0}));
  }
  Count = Kernels.size();
  return array(Kernels, "__gpuinstr_kernels");
}

static uint32_t moduleFlags(const Module &M, bool HasPacked) {
  return (HasPacked ? GPUINSTR_MODULE_PACKED : 0) |
         (managedVariablesMayHoldAddresses(M) ? GPUINSTR_MODULE_HOLDS_MANAGED : 0) |
         (hasWideCodeRanges(M) ? GPUINSTR_MODULE_WIDE_CODE : 0);
}

/// What `constants` of the module points to.
static Constant *constantsOf(Module &M) {
  auto *Pointer = PointerType::getUnqual(M.getContext());
  SmallVector<Constant *, 8> Names;
  for (GlobalVariable *Variable : constantVariables(M))
    Names.push_back(Variable);
  Constant *End = ConstantPointerNull::get(Pointer);
  if (Names.empty())
    return End;
  Names.push_back(End);
  auto *Type = ArrayType::get(Pointer, Names.size());
  return new GlobalVariable(M, Type, true, GlobalValue::PrivateLinkage,
                            ConstantArray::get(Type, Names), "__gpuinstr_constants");
}

GlobalVariable *DescriptorEmitter::finish(const Bootstrap &Code, const SiteTable *Table,
                                          ArrayRef<std::string> AddressesTaken, StringRef Defaults,
                                          bool IsFinal) {
  const auto Ranges = codeRanges(M, IsFinal);
  Constant *Functions = runtimeFunctions(M, IsFinal);
  StructType *Layout = Code.layout("module");
  Constant *Listed = List;
  if (!Listed)
    Listed = ConstantPointerNull::get(PointerType::getUnqual(C));
  unsigned NumKernels = 0;
  Constant *Kernels = kernelArray(Code, Table, NumKernels);
  GlobalVariable *HasPacked = packed();
  StructType *Whole = HasPacked ? StructType::get(C, {Layout, HasPacked->getType()}) : Layout;
  auto *Descriptor = new GlobalVariable(M, Whole, false, GlobalValue::InternalLinkage, nullptr,
                                        "__gpuinstr_module");
  Constant *Head =
      structure(Layout, {sizeof(gpuinstr_module),
                         GPUINSTR_ABI_VERSION,
                         0,
                         NumKernels,
                         AddressesTaken.size(),
                         0,
                         ConstantPointerNull::get(PointerType::getUnqual(C)),
                         Kernels,
                         textArray(AddressesTaken, "__gpuinstr_addresses_taken"),
                         text(sourceName(M)),
                         text("gpuinstr " GPUINSTR_VERSION " clang " LLVM_VERSION_STRING),
                         text(Defaults),
                         Descriptor,
                         Listed,
                         Sites.size(),
                         moduleFlags(M, HasPacked),
                         Ranges.first,
                         Ranges.second,
                         constantsOf(M),
                         Functions,
                         Functions->isNullValue() ? 0 : numRuntimeFunctions(),
                         0});
  Descriptor->setInitializer(HasPacked ? ConstantStruct::get(Whole, {Head, HasPacked}) : Head);
  packSites();
  Descriptor->setAlignment(Align(8));
  return Descriptor;
}

} // namespace gpuinstr
