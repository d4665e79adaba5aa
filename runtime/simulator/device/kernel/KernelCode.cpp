// What runs for a kernel: the code that its executable embeds, or a host version.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/KernelCode.h"

#include "device/kernel/HostArguments.h"

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
  gpuinstr_simulator_kernel run = nullptr;
  std::vector<size_t> bytes;
};

/// A launch's own copy of its arguments.
struct KernelArguments {
  const HostKernel *kernel = nullptr; ///< Null for an embedded kernel.
  EmbeddedKernel embedded;
  std::vector<char> buffer;
  std::vector<void *> pointers;

  /// Room for \p bytes, aligned as any parameter may be.
  char *reserve(size_t bytes) {
    buffer.resize(bytes + MaxAlign);
    auto at = reinterpret_cast<uintptr_t>(buffer.data());
    return buffer.data() + (MaxAlign - at % MaxAlign) % MaxAlign;
  }
  static constexpr size_t MaxAlign = 128;
};

namespace {

struct HostKernels {
  std::unordered_map<const void *, const HostKernel *> bySymbol;
  std::unordered_map<std::string, const HostKernel *> byName;
};

/// Leaked: launches may come from exit handlers. Guarded by the state's mutex.
HostKernels &hostKernels() {
  static auto *all = new HostKernels;
  return *all;
}

std::atomic<uint64_t> Started{0}, NotRun{0};

bool isOwn(const CUfunc_st &function) { return function.name.compare(0, 9, "gpuinstr_") == 0; }

const HostKernel *find(const CUfunc_st &function) {
  const HostKernels &all = hostKernels();
  auto bySymbol = all.bySymbol.find(function.hostSymbol);
  if (bySymbol != all.bySymbol.end())
    return bySymbol->second;
  auto byName = all.byName.find(function.name);
  return byName == all.byName.end() ? nullptr : byName->second;
}

} // namespace

void defineHostKernel(const void *symbol, const char *name, gpuinstr_simulator_kernel run,
                      unsigned count, const size_t *bytes) {
  auto *kernel = new HostKernel{run, std::vector<size_t>(bytes, bytes + count)};
  Lock l(state().m);
  if (symbol)
    hostKernels().bySymbol[symbol] = kernel;
  if (name)
    hostKernels().byName[name] = kernel;
}

EmbeddedKernel embeddedKernel(const CUfunc_st &function) {
  // Functions of modules that are loaded at run time are other code, whatever their names.
  if (!function.hostSymbol)
    return {};
  return findEmbeddedKernel(function.hostSymbol, function.name);
}

namespace {
/// The program is not at fault, and what the kernel would have written is missing.
CUresult refuse(CUresult why) {
  ++NotRun;
  threadState().refused = true;
  return why;
}
} // namespace

CUresult checkRunnable(const CUfunc_st &function) {
  if (find(function) || isOwn(function))
    return CUDA_SUCCESS;
  EmbeddedKernel embedded = embeddedKernel(function);
  if (embedded.record && !embedded.record->refused)
    return CUDA_SUCCESS;
  if (options().skipKernels)
    return CUDA_SUCCESS;
  static auto *named = new std::unordered_set<std::string>;
  bool first = named->insert(function.name).second;
  std::string name = readableName(function.name);
  if (embedded.record) {
    if (first)
      std::fprintf(stderr, "gpuinstr simulator: kernel %s cannot run here: %s is not simulated\n",
                   name.c_str(), embedded.record->refused);
    return refuse(CUDA_ERROR_NOT_SUPPORTED);
  }
  std::string why = whyNotEmbedded();
  if (first)
    std::fprintf(stderr,
                 "gpuinstr simulator: kernel %s carries no code to run here%s%s%s (compile with "
                 "clang++ -fplugin-arg-gpuinstr-simulate, or set GPUINSTR_SIM=kernels=skip)\n",
                 name.c_str(), why.empty() ? "" : " [", why.c_str(), why.empty() ? "" : "]");
  return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
}

namespace {

void keepForHost(KernelArguments &kept, const HostKernel &host, void *const *from) {
  kept.kernel = &host;
  size_t bytes = 0;
  for (size_t each : host.bytes)
    bytes += (each + 15) / 16 * 16;
  char *to = kept.reserve(bytes);
  for (size_t i = 0; i < host.bytes.size(); ++i) {
    std::memcpy(to, from[i], host.bytes[i]);
    kept.pointers.push_back(to);
    to += (host.bytes[i] + 15) / 16 * 16;
  }
}

/// Where the driver's `extra` list has the parameters as one buffer; null when it has none.
const char *bufferOf(void *const *extra) {
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      return static_cast<const char *>(extra[1]);
  return nullptr;
}

/// False when the launch gives no arguments for a kernel that has parameters.
bool keepForEmbedded(KernelArguments &kept, const EmbeddedKernel &embedded,
                     const CUDA_KERNEL_NODE_PARAMS &p) {
  const gpuinstr_sim_kernel &k = *embedded.record;
  const char *buffer = p.kernelParams ? nullptr : bufferOf(p.extra);
  if (k.parameter_count && !p.kernelParams && !buffer)
    return false;
  kept.embedded = embedded;
  size_t bytes = 0;
  for (uint32_t i = 0; i < k.parameter_count; ++i)
    bytes = std::max<size_t>(bytes, k.parameters[i].offset + k.parameters[i].bytes);
  char *to = kept.reserve(bytes);
  for (uint32_t i = 0; i < k.parameter_count; ++i) {
    const gpuinstr_sim_parameter &parameter = k.parameters[i];
    const void *from =
        buffer ? static_cast<const void *>(buffer + parameter.offset) : p.kernelParams[i];
    std::memcpy(to + parameter.offset, from, parameter.bytes);
    kept.pointers.push_back(to + parameter.offset);
  }
  return true;
}

GridShape shapeOf(const KernelOp &kernel, CUcontext context) {
  const CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
  GridShape shape;
  shape.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  shape.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  if (kernel.cluster[0])
    shape.cluster = kernel.cluster;
  shape.dynamicBytes = p.sharedMemBytes;
  shape.cooperative = kernel.cooperative;
  shape.stackLimit = context->limits[CU_LIMIT_STACK_SIZE];
  shape.heapBytes = context->limits[CU_LIMIT_MALLOC_HEAP_SIZE];
  shape.printBytes = context->limits[CU_LIMIT_PRINTF_FIFO_SIZE];
  shape.multiprocessors =
      static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  int threads = static_cast<int>(p.blockDimX * p.blockDimY * p.blockDimZ);
  shape.residentBlocks =
      shape.multiprocessors *
      static_cast<unsigned>(blocksPerMultiprocessor(*p.func, threads, p.sharedMemBytes));
  return shape;
}

} // namespace

void keepArguments(KernelOp &kernel) {
  CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
  State &s = state();
  Lock l(s.m);
  kernel.arguments = nullptr;
  if (!p.func || !s.functions.count(p.func))
    return;
  kernel.ofTool = isOwn(*p.func);
  auto kept = std::make_shared<KernelArguments>();
  // Embedded code comes before a host version.
  EmbeddedKernel embedded = embeddedKernel(*p.func);
  if (embedded.record && embedded.record->run) {
    if (!keepForEmbedded(*kept, embedded, p))
      return;
    p.extra = nullptr;
    if (options().tellsHostArguments)
      tellHostArguments(s, *p.func, *embedded.record, kept->pointers.data());
  } else if (const HostKernel *host = find(*p.func)) {
    if (!p.kernelParams && !host->bytes.empty())
      return;
    keepForHost(*kept, *host, p.kernelParams);
  } else {
    return;
  }
  p.kernelParams = kept->pointers.empty() ? nullptr : kept->pointers.data();
  kernel.arguments = std::move(kept);
}

CUresult parameterInfo(const CUfunc_st &function, size_t index, size_t *offset, size_t *bytes) {
  State &s = state();
  Lock l(s.m);
  EmbeddedKernel embedded = embeddedKernel(function);
  const HostKernel *host = embedded.record ? nullptr : find(function);
  if (!embedded.record && !host)
    return CUDA_ERROR_NOT_FOUND;
  if (!offset || index >= (host ? host->bytes.size() : embedded.record->parameter_count))
    return CUDA_ERROR_INVALID_VALUE;
  size_t at = 0, size = 0;
  if (host)
    for (size_t i = 0; i <= index; ++i) {
      size_t alignment = std::clamp<size_t>(host->bytes[i] & -host->bytes[i], 1, 8);
      at = (at + size + alignment - 1) / alignment * alignment;
      size = host->bytes[i];
    }
  else
    at = embedded.record->parameters[index].offset, size = embedded.record->parameters[index].bytes;
  *offset = at;
  if (bytes)
    *bytes = size;
  return CUDA_SUCCESS;
}

bool runsAsynchronously(const KernelOp &kernel) {
  return kernel.arguments && !kernel.arguments->kernel;
}

void runKernel(const KernelOp &kernel, CUstream stream) {
  const CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
  Started += !kernel.ofTool;
  if (!kernel.arguments) {
    NotRun += !kernel.ofTool;
    return;
  }
  const KernelArguments &kept = *kernel.arguments;
  if (kept.kernel) {
    const unsigned grid[3] = {p.gridDimX, p.gridDimY, p.gridDimZ};
    const unsigned block[3] = {p.blockDimX, p.blockDimY, p.blockDimZ};
    kept.kernel->run(grid, block, p.kernelParams);
    return;
  }
  CUcontext context = stream->context;
  GridRun run(kept.embedded, kept.pointers.data(), shapeOf(kernel, context), context->output);
  if (CUresult fault = runGrid(run)) {
    Lock l(state().m);
    context->fault = fault;
  }
}

uint64_t kernelsStarted() { return Started; }
uint64_t kernelsNotRun() { return NotRun; }

} // namespace gpuinstr::sim
