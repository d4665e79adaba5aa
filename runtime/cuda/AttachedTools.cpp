// Who else is looking at the process: profilers, sanitizers, debuggers.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/AttachedTools.h"
#include "base/system/LoadedModules.h"
#include "base/system/SystemFile.h"
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace gpuinstr::cuda {

namespace {

std::atomic<bool> CuptiIsOurs{false};

bool setTo(const char *variable, const char *part) {
  const char *value = std::getenv(variable);
  return value && *value && (!*part || std::strstr(value, part));
}

/// A debugger traces the process.
bool isTraced() {
  std::string status = readSystemFile("/proc/self/status");
  std::size_t at = status.find("\nTracerPid:");
  return at != std::string::npos && std::atoi(status.c_str() + at + 11) != 0;
}

/// Whose library that is. nullptr: no tool known here.
const char *ownerOf(const char *library) {
  static constexpr struct {
    const char *part, *name;
  } Libraries[] = {{"libsanitizer-collection", "compute-sanitizer"},
                   {"libTreeLauncher", "compute-sanitizer"},
                   {"libToolsInjection", "Nsight Systems"},
                   {"libnvidia-nsight", "Nsight"},
                   {"libcuda-injection", "Nsight Compute"},
                   {"libcupti", "a CUPTI tool"},
                   {"libcudadebugger", "cuda-gdb"}};
  for (auto &known : Libraries)
    if (std::strstr(library, known.part))
      return known.name;
  return nullptr;
}

/// gpuinstr run --attach: the injected library is ours, and it holds CUPTI.
bool injectionIsOurs() { return setTo("CUDA_INJECTION64_PATH", "/libgpuinstr_attach.so"); }

/// Whether that is one.
bool isTool(const dl_phdr_info &module, AttachedTool &found) {
  const char *name = module.dlpi_name ? ownerOf(module.dlpi_name) : nullptr;
  bool cupti = name && std::strstr(module.dlpi_name, "libcupti");
  if (!name || (cupti && (CuptiIsOurs.load() || injectionIsOurs())))
    return false;
  found = {name, cupti};
  return true;
}

/// The tool that the driver or NVTX is told to load. Empty: none.
std::string injectedBy(const char *variable) {
  if (!setTo(variable, ""))
    return "";
  const char *path = std::getenv(variable), *slash = std::strrchr(path, '/');
  const char *file = slash ? slash + 1 : path, *tool = ownerOf(file);
  return tool ? std::string(tool) + " (" + variable + ")" : std::string(file) + " in " + variable;
}

} // namespace

void setCuptiIsOurs(bool ours) { CuptiIsOurs.store(ours); }

AttachedTool attachedTool() {
  // Some images set it for every process, with nobody listening: a library must be there, too.
  if (std::string tool = injectedBy("CUDA_INJECTION64_PATH"); !tool.empty() && !injectionIsOurs())
    return {tool};
  std::string ranges = injectedBy("NVTX_INJECTION64_PATH");
  if (!ranges.empty() && !setTo("NVTX_INJECTION64_PATH", "libcupti") &&
      !setTo("NVTX_INJECTION64_PATH", "/libgpuinstr_attach.so"))
    return {ranges};
  if (setTo("NV_SANITIZER_INJECTION_PORT_BASE", "") ||
      setTo("NV_COMPUTE_PROFILER_PERFWORKS_DIR", ""))
    return {"compute-sanitizer or Nsight Compute"};
  if (setTo("CUDA_DEBUGGER_SOFTWARE_PREEMPTION", "1") || setTo("CUDBG_USE_LEGACY_DEBUGGER", "1"))
    return {"cuda-gdb"};
  AttachedTool tool;
  eachLoadedModule([&](const dl_phdr_info &module) { return !isTool(module, tool); });
  if (tool.name.empty() && isTraced())
    tool.name = "a debugger";
  return tool;
}

} // namespace gpuinstr::cuda
