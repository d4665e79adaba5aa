// What runs for a kernel: the code that its executable embeds, or a host version.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/KernelCode.h"

#include "common/DeviceModel.h"
#include "common/SimulatorOptions.h"
#include "device/kernel/Launch.h"
#include "exec/schedule/RunGrid.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace gpuinstr::sim {

/// A host version. Never removed: queued work and graphs point at it.
struct HostKernel {
  gpuinstr_simulator_kernel Run = nullptr;
  std::vector<size_t> Bytes;
};

/// A launch's own copy of its arguments.
struct KernelArguments {
  const HostKernel *Kernel = nullptr; ///< Null for an embedded kernel.
  EmbeddedKernel Embedded;
  std::vector<char> Buffer;
  std::vector<void *> Pointers;

  /// Room for \p Bytes, aligned as any parameter may be.
  char *reserve(size_t Bytes) {
    Buffer.resize(Bytes + MaxAlign);
    auto At = reinterpret_cast<uintptr_t>(Buffer.data());
    return Buffer.data() + (MaxAlign - At % MaxAlign) % MaxAlign;
  }
  static constexpr size_t MaxAlign = 128;
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

bool isOwn(const CUfunc_st &Function) { return Function.Name.compare(0, 9, "gpuinstr_") == 0; }

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

EmbeddedKernel embeddedKernel(const CUfunc_st &Function) {
  // Functions of modules that are loaded at run time are other code, whatever their names.
  if (!Function.HostSymbol)
    return {};
  return findEmbeddedKernel(Function.HostSymbol, Function.Name);
}

CUresult checkRunnable(const CUfunc_st &Function) {
  if (find(Function) || isOwn(Function))
    return CUDA_SUCCESS;
  EmbeddedKernel Embedded = embeddedKernel(Function);
  if (Embedded.Record && !Embedded.Record->refused)
    return CUDA_SUCCESS;
  if (options().SkipKernels)
    return CUDA_SUCCESS;
  static auto *Named = new std::unordered_set<std::string>;
  bool First = Named->insert(Function.Name).second;
  std::string Name = readableName(Function.Name);
  if (Embedded.Record) {
    if (First)
      std::fprintf(stderr, "gpuinstr simulator: kernel %s cannot run here: %s is not simulated\n",
                   Name.c_str(), Embedded.Record->refused);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  std::string Why = whyNotEmbedded();
  if (First)
    std::fprintf(stderr,
                 "gpuinstr simulator: kernel %s carries no code to run here%s%s%s (compile with "
                 "clang++ -fplugin-arg-gpuinstr-simulate, or set GPUINSTR_SIM=kernels=skip)\n",
                 Name.c_str(), Why.empty() ? "" : " [", Why.c_str(), Why.empty() ? "" : "]");
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

namespace {

void keepForHost(KernelArguments &Kept, const HostKernel &Host, void *const *From) {
  Kept.Kernel = &Host;
  size_t Bytes = 0;
  for (size_t Each : Host.Bytes)
    Bytes += (Each + 15) / 16 * 16;
  char *To = Kept.reserve(Bytes);
  for (size_t I = 0; I < Host.Bytes.size(); ++I) {
    std::memcpy(To, From[I], Host.Bytes[I]);
    Kept.Pointers.push_back(To);
    To += (Host.Bytes[I] + 15) / 16 * 16;
  }
}

/// Where the driver's `extra` list has the parameters as one buffer; null when it has none.
const char *bufferOf(void *const *Extra) {
  for (; Extra && *Extra != CU_LAUNCH_PARAM_END; Extra += 2)
    if (*Extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      return static_cast<const char *>(Extra[1]);
  return nullptr;
}

/// False when the launch gives no arguments for a kernel that has parameters.
bool keepForEmbedded(KernelArguments &Kept, const EmbeddedKernel &Embedded,
                     const CUDA_KERNEL_NODE_PARAMS &P) {
  const gpuinstr_sim_kernel &K = *Embedded.Record;
  const char *Buffer = P.kernelParams ? nullptr : bufferOf(P.extra);
  if (K.parameter_count && !P.kernelParams && !Buffer)
    return false;
  Kept.Embedded = Embedded;
  size_t Bytes = 0;
  for (uint32_t I = 0; I < K.parameter_count; ++I)
    Bytes = std::max<size_t>(Bytes, K.parameters[I].offset + K.parameters[I].bytes);
  char *To = Kept.reserve(Bytes);
  for (uint32_t I = 0; I < K.parameter_count; ++I) {
    const gpuinstr_sim_parameter &Parameter = K.parameters[I];
    const void *From =
        Buffer ? static_cast<const void *>(Buffer + Parameter.offset) : P.kernelParams[I];
    std::memcpy(To + Parameter.offset, From, Parameter.bytes);
    Kept.Pointers.push_back(To + Parameter.offset);
  }
  return true;
}

GridShape shapeOf(const KernelOp &Kernel, CUcontext Context) {
  const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  GridShape Shape;
  Shape.Grid = {P.gridDimX, P.gridDimY, P.gridDimZ};
  Shape.Block = {P.blockDimX, P.blockDimY, P.blockDimZ};
  if (Kernel.Cluster[0])
    Shape.Cluster = Kernel.Cluster;
  Shape.DynamicBytes = P.sharedMemBytes;
  Shape.Cooperative = Kernel.Cooperative;
  Shape.StackLimit = Context->Limits[CU_LIMIT_STACK_SIZE];
  Shape.HeapBytes = Context->Limits[CU_LIMIT_MALLOC_HEAP_SIZE];
  Shape.PrintBytes = Context->Limits[CU_LIMIT_PRINTF_FIFO_SIZE];
  Shape.Multiprocessors =
      static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  int Threads = static_cast<int>(P.blockDimX * P.blockDimY * P.blockDimZ);
  Shape.ResidentBlocks =
      Shape.Multiprocessors *
      static_cast<unsigned>(blocksPerMultiprocessor(*P.func, Threads, P.sharedMemBytes));
  return Shape;
}

} // namespace

void keepArguments(KernelOp &Kernel) {
  CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  State &S = state();
  Lock L(S.M);
  Kernel.Arguments = nullptr;
  if (!P.func || !S.Functions.count(P.func))
    return;
  Kernel.OfTool = isOwn(*P.func);
  auto Kept = std::make_shared<KernelArguments>();
  // Embedded code comes before a host version.
  EmbeddedKernel Embedded = embeddedKernel(*P.func);
  if (Embedded.Record && Embedded.Record->run) {
    if (!keepForEmbedded(*Kept, Embedded, P))
      return;
    P.extra = nullptr;
  } else if (const HostKernel *Host = find(*P.func)) {
    if (!P.kernelParams && !Host->Bytes.empty())
      return;
    keepForHost(*Kept, *Host, P.kernelParams);
  } else {
    return;
  }
  P.kernelParams = Kept->Pointers.empty() ? nullptr : Kept->Pointers.data();
  Kernel.Arguments = std::move(Kept);
}

bool runsAsynchronously(const KernelOp &Kernel) {
  return Kernel.Arguments && !Kernel.Arguments->Kernel;
}

void runKernel(const KernelOp &Kernel, CUstream Stream) {
  const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  Started += !Kernel.OfTool;
  if (!Kernel.Arguments) {
    NotRun += !Kernel.OfTool;
    return;
  }
  const KernelArguments &Kept = *Kernel.Arguments;
  if (Kept.Kernel) {
    const unsigned Grid[3] = {P.gridDimX, P.gridDimY, P.gridDimZ};
    const unsigned Block[3] = {P.blockDimX, P.blockDimY, P.blockDimZ};
    Kept.Kernel->Run(Grid, Block, P.kernelParams);
    return;
  }
  CUcontext Context = Stream->Context;
  GridRun Run(Kept.Embedded, Kept.Pointers.data(), shapeOf(Kernel, Context), Context->Output);
  if (CUresult Fault = runGrid(Run)) {
    Lock L(state().M);
    Context->Fault = Fault;
  }
}

uint64_t kernelsStarted() { return Started; }
uint64_t kernelsNotRun() { return NotRun; }

} // namespace gpuinstr::sim
