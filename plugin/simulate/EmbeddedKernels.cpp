// Writes the records by which the simulator knows a unit's device code, and their constructor.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/EmbeddedKernels.h"
#include "embed/BootstrapLinker.h"
#include "gpuinstr/simulated_kernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Constants of the C structures of simulated_kernel.h: natural layout is theirs.
class RecordWriter {
public:
  explicit RecordWriter(Module &M) : M(M), C(M.getContext()), Ptr(PointerType::getUnqual(C)) {}

  Constant *word(uint64_t V) { return ConstantInt::get(Type::getInt32Ty(C), V); }
  Constant *wide(uint64_t V) { return ConstantInt::get(Type::getInt64Ty(C), V); }
  Constant *null() { return ConstantPointerNull::get(Ptr); }
  Constant *text(StringRef Text) {
    if (Text.empty())
      return null();
    return data(ConstantDataArray::getString(C, Text), true);
  }
  Constant *symbol(StringRef Name) {
    GlobalValue *G = Name.empty() ? nullptr : M.getNamedValue(Name);
    return G ? G : null();
  }
  GlobalVariable *data(Constant *Value, bool IsConstant) {
    return new GlobalVariable(M, Value->getType(), IsConstant, GlobalValue::PrivateLinkage, Value,
                              "__gpuinstr_sim_data");
  }
  Constant *array(ArrayRef<Constant *> Rows) {
    if (Rows.empty())
      return null();
    return data(ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows), true);
  }
  Constant *row(ArrayRef<Constant *> Fields) { return ConstantStruct::getAnon(C, Fields); }

  Module &M;
  LLVMContext &C;
  PointerType *Ptr;
};

/// The host's stub of a kernel has the kernel's name with __device_stub__ before the last part:
/// _Z3addPf and _Z18__device_stub__addPf.
StringMap<Function *> stubsByKernel(Module &M) {
  constexpr StringLiteral Mark = "__device_stub__";
  StringMap<Function *> Stubs;
  for (Function &F : M) {
    const StringRef Name = F.getName();
    const size_t At = Name.find(Mark);
    if (At == StringRef::npos)
      continue;
    size_t Digits = At;
    while (Digits && isDigit(Name[Digits - 1]))
      --Digits;
    unsigned Length = 0;
    std::string Kernel = Name.substr(0, Digits).str();
    if (!Name.slice(Digits, At).getAsInteger(10, Length) && Length > Mark.size())
      Kernel += std::to_string(Length - Mark.size());
    Kernel += Name.substr(At + Mark.size()).str();
    Stubs[Kernel] = &F;
  }
  return Stubs;
}

Constant *kernelRow(RecordWriter &W, const EmbeddedKernel &K, Function *Stub) {
  SmallVector<Constant *, 8> Parameters;
  for (const EmbeddedKernel::Parameter &P : K.Parameters)
    Parameters.push_back(W.row({W.word(P.Offset), W.word(P.Bytes)}));
  return W.row({Stub ? static_cast<Constant *>(Stub) : W.null(), W.text(K.Name), W.symbol(K.Run),
                W.text(K.Refused), W.array(Parameters), W.word(K.Parameters.size()),
                W.word(K.Flags), W.word(K.SharedBytes), W.word(K.MaxThreads),
                W.word(K.FrameBytes)});
}

} // namespace

void writeRecords(Module &Host, const EmbeddedUnit &Unit) {
  RecordWriter W(Host);
  const StringMap<Function *> Stubs = stubsByKernel(Host);
  SmallVector<Constant *, 8> Kernels, Variables, Shared;
  for (const EmbeddedKernel &K : Unit.Kernels)
    Kernels.push_back(kernelRow(W, K, Stubs.lookup(K.Name)));
  for (const EmbeddedVariable &V : Unit.Variables)
    Variables.push_back(W.row(
        {W.symbol(V.Name), W.text(V.Name), W.symbol((SimPrefix + V.Name).str()), W.wide(V.Bytes),
         W.word(V.Space == 4 ? GPUINSTR_SIM_CONSTANT : GPUINSTR_SIM_DEVICE), W.word(V.Align)}));
  for (const SharedVariable &V : Unit.Shared)
    Shared.push_back(W.row({W.symbol((SimPrefix + "offset_" + V.Name).str()), W.wide(V.Bytes),
                            W.word(V.Align), W.word(0)}));
  Constant *Record = W.row({W.word(sizeof(gpuinstr_sim_module)), W.word(GPUINSTR_SIM_ABI_VERSION),
                            W.text(Unit.Unit), W.array(Kernels), W.array(Variables),
                            W.array(Shared), W.word(Kernels.size()), W.word(Variables.size()),
                            W.word(Shared.size()), W.word(Unit.Arch), W.word(Unit.SharedBytes),
                            W.word(Unit.Relocatable), W.text(Unit.Unreadable), W.null()});
  GlobalVariable *Module = W.data(Record, false);
  Module->setName("__gpuinstr_sim_module");
  // Before the program's own constructors, which may launch kernels.
  appendToGlobalCtors(
      Host, makeRegistrar(Host, Module, "__gpuinstr_sim_ctor", "__gpuinstr_sim_register"), 0);
  appendToGlobalDtors(
      Host, makeRegistrar(Host, Module, "__gpuinstr_sim_dtor", "__gpuinstr_sim_unregister"), 0);
}

} // namespace gpuinstr
