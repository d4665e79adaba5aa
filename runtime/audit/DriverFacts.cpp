// What the auditor asks the driver, and who else is looking at the process.
// SPDX-License-Identifier: Apache-2.0
#include "audit/DriverFacts.h"
#include "calls/sites/Images.h"
#include "cuda/Driver.h"
#include "time/exact/Exact.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <mutex>

namespace gpuinstr::audit {

namespace {

constexpr int AttributeMemoryType = 2, AttributeIsManaged = 8; // of CUpointer_attribute
constexpr int InvalidValue = 1;

void *driverSymbol(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (library)
    dlclose(library); // NOLOAD counts too
  return symbol;
}

bool setTo(const char *variable, const char *part) {
  const char *value = std::getenv(variable);
  return value && *value && (!*part || std::strstr(value, part));
}

/// A debugger traces the process.
bool isTraced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, 10, "TracerPid:") == 0)
      return std::atoi(line.c_str() + 10) != 0;
  return false;
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

int findTool(dl_phdr_info *info, size_t, void *found) {
  const char *tool = info->dlpi_name ? ownerOf(info->dlpi_name) : nullptr;
  if (!tool || (std::strstr(info->dlpi_name, "libcupti") && timing::exactIsOn()))
    return 0;
  *static_cast<std::string *>(found) = tool;
  return 1;
}

/// The tool that the driver or NVTX is told to load. Empty: none.
std::string injectedBy(const char *variable) {
  if (!setTo(variable, ""))
    return "";
  const char *path = std::getenv(variable), *slash = std::strrchr(path, '/');
  const char *file = slash ? slash + 1 : path, *tool = ownerOf(file);
  return tool ? std::string(tool) + " (" + variable + ")" : std::string(file) + " in " + variable;
}

int countLoads(dl_phdr_info *info, size_t, void *count) {
  *static_cast<unsigned long long *>(count) = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

} // namespace

bool driverParameters(uint64_t function, std::vector<KernelParameter> &parameters) {
  using Info = int(void *, size_t, size_t *, size_t *);
  static Info *info = reinterpret_cast<Info *>(driverSymbol("cuFuncGetParamInfo"));
  const DriverApi *d = driverApi();
  if (!info || !d || d->simulated) // the simulated one would say that it has no answer
    return false;
  RelaxedCapture relaxed(*d);
  size_t offset, bytes;
  int result;
  for (size_t i = 0; (result = info(reinterpret_cast<void *>(function), i, &offset, &bytes)) == 0;
       ++i)
    parameters.push_back({uint32_t(bytes), 2, GPUINSTR_ACCESS_UNKNOWN});
  return result == InvalidValue; // there is none of that index
}

bool isPageable(uint64_t address) {
  const DriverApi *d = driverApi();
  if (!d)
    return false;
  RelaxedCapture relaxed(*d);
  uint64_t type = 0; // an enumerator; drivers write four bytes
  // This one takes ordinary memory for no error, which a sanitizer would show as the program's.
  if (d->pointerGetAttributes) {
    int attribute = AttributeMemoryType;
    void *value = &type;
    return d->pointerGetAttributes(1, &attribute, &value, address) == 0 && type == 0;
  }
  if (!d->pointerGetAttribute)
    return false;
  return d->pointerGetAttribute(&type, AttributeMemoryType, address) == InvalidValue;
}

uint64_t kernelsNotRun() {
  if (!driverIsSimulated())
    return 0;
  using Count = unsigned long long();
  static auto *count =
      reinterpret_cast<Count *>(driverSymbol("gpuinstr_simulator_kernels_not_run"));
  return count ? count() : 0;
}

std::string attachedTool() {
  // Some images set it for every process, with nobody listening: a library must be there, too.
  if (std::string tool = injectedBy("CUDA_INJECTION64_PATH"); !tool.empty())
    return tool;
  std::string ranges = injectedBy("NVTX_INJECTION64_PATH");
  if (!ranges.empty() && !setTo("NVTX_INJECTION64_PATH", "libcupti"))
    return ranges;
  if (setTo("NV_SANITIZER_INJECTION_PORT_BASE", "") ||
      setTo("NV_COMPUTE_PROFILER_PERFWORKS_DIR", ""))
    return "compute-sanitizer or Nsight Compute";
  if (setTo("CUDA_DEBUGGER_SOFTWARE_PREEMPTION", "1") || setTo("CUDBG_USE_LEGACY_DEBUGGER", "1"))
    return "cuda-gdb";
  std::string tool;
  dl_iterate_phdr(findTool, &tool);
  if (tool.empty() && isTraced())
    tool = "a debugger";
  return tool;
}

bool unseenCodeUsesCuda() {
  static std::mutex Mutex;
  static unsigned long long Loads = ~0ull;
  static bool Unseen = false;
  unsigned long long loads = 0;
  dl_iterate_phdr(countLoads, &loads);
  std::lock_guard<std::mutex> lock(Mutex);
  if (loads != Loads) {
    Loads = loads;
    Unseen = !unseenCudaUsers(loadedImages()).empty();
  }
  return Unseen;
}

} // namespace gpuinstr::audit
