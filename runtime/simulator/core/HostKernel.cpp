// Kernels that run after all: those of which the program brought a host version.
// SPDX-License-Identifier: Apache-2.0
#include "core/HostKernel.h"

#include "core/Launch.h"

#include <atomic>
#include <cstring>

namespace gpuinstr::sim {

/// A host version. Never removed: queued work and graphs point at it.
struct HostKernel {
  gpuinstr_simulator_kernel Run = nullptr;
  std::vector<size_t> Bytes;
};

/// A launch's own copy of its arguments.
struct KernelArguments {
  const HostKernel *Kernel = nullptr;
  std::vector<std::unique_ptr<char[]>> Values; ///< One each: new char[] suits any type.
  std::vector<void *> Pointers;
};

namespace {

struct HostKernels {
  std::unordered_map<const void *, const HostKernel *> BySymbol;
  std::unordered_map<std::string, const HostKernel *> ByName;
};

/// Leaked: launches may come from exit handlers. Guarded by the state's mutex.
HostKernels &hostKernels() {
  static auto *All = new HostKernels;
  return *All;
}

std::atomic<uint64_t> Started{0}, NotRun{0};

const HostKernel *find(const CUfunc_st &Function) {
  const HostKernels &All = hostKernels();
  auto BySymbol = All.BySymbol.find(Function.HostSymbol);
  if (BySymbol != All.BySymbol.end())
    return BySymbol->second;
  auto ByName = All.ByName.find(Function.Name);
  return ByName == All.ByName.end() ? nullptr : ByName->second;
}

} // namespace

void defineHostKernel(const void *Symbol, const char *Name, gpuinstr_simulator_kernel Run,
                      unsigned Count, const size_t *Bytes) {
  auto *Kernel = new HostKernel{Run, std::vector<size_t>(Bytes, Bytes + Count)};
  Lock L(state().M);
  if (Symbol)
    hostKernels().BySymbol[Symbol] = Kernel;
  if (Name)
    hostKernels().ByName[Name] = Kernel;
}

void keepArguments(KernelOp &Kernel) {
  CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  State &S = state();
  Lock L(S.M);
  Kernel.Arguments = nullptr;
  if (!P.func || !S.Functions.count(P.func))
    return;
  Kernel.OfTool = P.func->Name.compare(0, 9, "gpuinstr_") == 0;
  const HostKernel *Host = find(*P.func);
  if (!Host || (!P.kernelParams && !Host->Bytes.empty()))
    return;
  auto Kept = std::make_shared<KernelArguments>();
  Kept->Kernel = Host;
  for (size_t I = 0; I < Host->Bytes.size(); ++I) {
    Kept->Values.push_back(std::make_unique<char[]>(Host->Bytes[I]));
    std::memcpy(Kept->Values[I].get(), P.kernelParams[I], Host->Bytes[I]);
    Kept->Pointers.push_back(Kept->Values[I].get());
  }
  P.kernelParams = Kept->Pointers.empty() ? nullptr : Kept->Pointers.data();
  Kernel.Arguments = std::move(Kept);
}

void runKernel(const KernelOp &Kernel, CUstream) {
  const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  Started += !Kernel.OfTool;
  if (!Kernel.Arguments) {
    NotRun += !Kernel.OfTool;
    return;
  }
  const unsigned Grid[3] = {P.gridDimX, P.gridDimY, P.gridDimZ};
  const unsigned Block[3] = {P.blockDimX, P.blockDimY, P.blockDimZ};
  Kernel.Arguments->Kernel->Run(Grid, Block, P.kernelParams);
}

uint64_t kernelsStarted() { return Started; }
uint64_t kernelsNotRun() { return NotRun; }

} // namespace gpuinstr::sim
