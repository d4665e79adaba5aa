// The pass that embeds a unit's device code in its host object, for the simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/EmbedDeviceCode.h"
#include "simulate/KernelEntryPoints.h"
#include "simulate/compile/Retarget.h"
#include "simulate/library/LibraryLinker.h"
#include "simulate/lower/Lowering.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// As the driver places them: kernels may load wider than the type that was declared.
constexpr uint64_t VariableAlign = 256;

void collectVariables(Module &M, const DeviceFacts &Facts, EmbeddedUnit &Unit) {
  for (GlobalVariable &G : M.globals()) {
    StringRef Name = G.getName();
    if (G.isDeclaration() || !G.isExternallyInitialized() || !Name.consume_front(SimPrefix))
      continue;
    auto Space = Facts.Space.find(Name);
    if (Space == Facts.Space.end())
      continue;
    G.setAlignment(std::max(G.getAlign().valueOrOne(), Align(VariableAlign)));
    Unit.Variables.push_back({Name.str(), M.getDataLayout().getTypeAllocSize(G.getValueType()),
                              static_cast<unsigned>(G.getAlign().valueOrOne().value()),
                              Space->second});
  }
}

/// Declared so that the linker brings them: the records' registrars call them.
void declareRegistration(Module &M) {
  LLVMContext &C = M.getContext();
  for (StringRef Name : {"__gpuinstr_sim_register", "__gpuinstr_sim_unregister"})
    M.getOrInsertFunction(
        Name, FunctionType::get(Type::getVoidTy(C), {PointerType::getUnqual(C)}, false));
}

/// Device code as host code in Host's context, null with Unit.Unreadable set.
std::unique_ptr<Module> compileForHost(const DeviceJob &Job, const Module &Host,
                                       EmbeddedUnit &Unit) {
  std::string Error;
  LLVMContext Context;
  DeviceFacts Facts;
  std::unique_ptr<Module> Flat;
  if (std::unique_ptr<Module> Device = compileForDevice(Job, Context, Error))
    Flat = retarget(*Device, Host, Facts, Error);
  if (!Flat) {
    Unit.Unreadable = Error;
    return nullptr;
  }
  Lowering Low(*Flat, Facts, Job.Relocatable, libraryNames());
  Low.run();
  addEntryPoints(*Flat, Facts, Low, Unit);
  Unit.SharedBytes = Low.sharedBytes();
  if (Job.Relocatable)
    Unit.Shared.append(Low.shared().begin(), Low.shared().end());
  collectVariables(*Flat, Facts, Unit);
  declareRegistration(*Flat);
  if (Unit.Unreadable.empty())
    Unit.Unreadable = linkLibrary(*Flat);
  finishEntryPoints(*Flat);
  raw_string_ostream Problem(Error);
  if (verifyModule(*Flat, &Problem))
    Unit.Unreadable = "carried code is broken: " + Error;
  if (!Unit.Unreadable.empty())
    return nullptr;
  return Flat;
}

/// The linker takes internal symbols only where something refers to them; the records, which do,
/// are written behind it.
bool linkInto(Module &Host, std::unique_ptr<Module> Code) {
  std::vector<std::string> Internal;
  for (GlobalObject &G : Code->global_objects())
    if (G.hasInternalLinkage() && G.getName().starts_with(SimPrefix)) {
      Internal.push_back(G.getName().str());
      G.setLinkage(GlobalValue::ExternalLinkage);
    }
  if (Linker::linkModules(Host, std::move(Code)))
    return false;
  for (const std::string &Name : Internal)
    if (GlobalValue *G = Host.getNamedValue(Name))
      G->setLinkage(GlobalValue::InternalLinkage);
  return true;
}

/// For a unit whose device code is missing: the records alone.
std::unique_ptr<Module> startAlone(const Module &Host) {
  auto M = std::make_unique<Module>("gpuinstr-simulate", Host.getContext());
  M->setTargetTriple(Host.getTargetTriple());
  M->setDataLayout(Host.getDataLayout());
  declareRegistration(*M);
  linkLibrary(*M);
  return M;
}

} // namespace

PreservedAnalyses EmbedDeviceCodePass::run(Module &M, ModuleAnalysisManager &) {
  constexpr StringLiteral Mark = "gpuinstr.simulate";
  if (M.getNamedMetadata(Mark))
    return PreservedAnalyses::all();
  M.getOrInsertNamedMetadata(Mark);
  EmbeddedUnit Unit;
  Unit.Unit = Job->Unit;
  Unit.Arch = Job->Arch;
  Unit.Relocatable = Job->Relocatable;
  Unit.Unreadable = Job->Problem;
  std::unique_ptr<Module> Code;
  if (Unit.Unreadable.empty())
    Code = compileForHost(*Job, M, Unit);
  if (!Code) {
    Unit.Kernels.clear();
    Unit.Variables.clear();
    Unit.Shared.clear();
    Code = startAlone(M);
    errs() << "gpuinstr: simulate: " << Job->Unit
           << ": its kernels will not run on the simulator: " << Unit.Unreadable << "\n";
  }
  if (!linkInto(M, std::move(Code)))
    M.getContext().emitError("gpuinstr: simulate: the carried code cannot be linked in");
  else
    writeRecords(M, Unit);
  return PreservedAnalyses::none();
}

} // namespace gpuinstr
