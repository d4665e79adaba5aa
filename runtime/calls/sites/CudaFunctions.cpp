// CUDA's functions by name.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/CudaFunctions.h"
#include "base/text/Prefix.h"
#include "gpuinstr/abi.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

namespace gpuinstr {

namespace {

/// All but those that choose a device or talk to profilers.
constexpr bool isWork(unsigned op) {
  return op != GPUINSTR_OP_SET_DEVICE && op != GPUINSTR_OP_PROFILER;
}

struct Row {
  std::string_view name;
  bool isWork = false;
};
constexpr Row Rows[] = {
#define CUDA_API(name, op, resource, flags, detail, operands) {#name, isWork(GPUINSTR_OP_##op)},
#include "api/CudaApi.def"
};
/// By name, by the compiler: to do it in the program takes 0.1 ms of its first CUDA call.
constexpr std::array<Row, std::size(Rows)> sortedRows() {
  std::array<Row, std::size(Rows)> sorted = {};
  size_t count = 0;
  for (const Row &row : Rows) {
    size_t at = count++;
    for (; at && row.name < sorted[at - 1].name; --at)
      sorted[at] = sorted[at - 1];
    sorted[at] = row;
  }
  return sorted;
}
constexpr const char *Questions[] = {
#define CUDA_API(name, op, resource, flags, detail, operands)
#define CUDA_ASKS(word) #word,
#include "api/CudaApi.def"
};
constexpr const char *Harmless[] = {
#define CUDA_API(name, op, resource, flags, detail, operands)
#define CUDA_HARMLESS(beginning) #beginning,
#include "api/CudaApi.def"
};

/// In the names of functions that run kernels, keep streams waiting or hand functions out.
constexpr const char *Running[] = {"Launch", "WaitValue",  "WaitExternal",
                                   "MemOp",  "EntryPoint", "ProcAddress"};

struct Library {
  const char *prefix;
  bool isVendors;
};
constexpr Library Prefixes[] = {
#define CUDA_API(name, op, resource, flags, detail, operands)
#define CUDA_PREFIX(prefix, op, flags) {#prefix, GPUINSTR_OP_##op == GPUINSTR_OP_LIBRARY},
#include "api/CudaApi.def"
};

/// Behind cuda or cu; nullptr where neither is followed by a name.
const char *behindPrefix(const char *name) {
  for (size_t length : {4, 2})
    if (std::strncmp(name, "cuda", length) == 0 &&
        std::isupper(static_cast<unsigned char>(name[length])))
      return name + length;
  return nullptr;
}

/// The table's row for it, or for one of per-thread streams or of a later version (_v2); nullptr:
/// none.
const Row *rowOf(std::string_view name) {
  for (const char *ending : {"_ptds", "_ptsz"})
    if (name.size() > 5 && name.compare(name.size() - 5, 5, ending) == 0)
      name.remove_suffix(5);
  if (name.size() > 3 && name.compare(name.size() - 3, 2, "_v") == 0)
    name.remove_suffix(3);
  static constexpr auto Sorted = sortedRows();
  auto found = std::lower_bound(Sorted.begin(), Sorted.end(), name,
                                [](const Row &row, std::string_view n) { return row.name < n; });
  return found != Sorted.end() && found->name == name ? &*found : nullptr;
}

} // namespace

bool isCudaName(const char *name) { return behindPrefix(name) != nullptr; }

/// The prefix and then an upper-case letter, as in cublasSgemm.
static bool isOfVendor(const char *name) {
  return std::any_of(std::begin(Prefixes), std::end(Prefixes), [&](const Library &library) {
    return library.isVendors && startsWith(name, library.prefix) &&
           std::isupper(static_cast<unsigned char>(name[std::strlen(library.prefix)]));
  });
}

bool isLookUp(const char *name) {
  return std::strcmp(name, "dlsym") == 0 || std::strcmp(name, "dlvsym") == 0;
}

bool runsKernels(const char *name) {
  if (isOfVendor(name))
    return true;
  return isCudaWork(name) &&
         std::any_of(std::begin(Running), std::end(Running),
                     [&](const char *word) { return std::strstr(name, word) != nullptr; });
}

bool isCudaWork(const char *name) {
  if (startsWith(name, "__cudaLaunch") || isOfVendor(name))
    return true;
  const char *rest = behindPrefix(name);
  if (!rest)
    return false;
  if (const Row *row = rowOf(name))
    return row->isWork;
  return std::none_of(std::begin(Questions), std::end(Questions),
                      [&](const char *word) { return std::strstr(rest, word) != nullptr; }) &&
         std::none_of(std::begin(Harmless), std::end(Harmless),
                      [&](const char *start) { return startsWith(rest, start); });
}

/// libcudart_static_ and 40 digits: NVIDIA's static libraries call what is inside them so.
static bool isInside(const char *name) {
  constexpr std::string_view Static = "_static_";
  constexpr size_t Digits = 40;
  if (!startsWith(name, "lib"))
    return false;
  const std::string_view all = name; // there are thousands of them: their end is looked at alone
  return all.size() > Digits + Static.size() &&
         all.substr(all.size() - Digits - Static.size(), Static.size()) == Static &&
         std::all_of(all.end() - Digits, all.end(), [](char c) {
           return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
         });
}

/// Host stubs of the kernels in libcudadevrt, which comes with dynamic parallelism: device code
/// alone starts those kernels, and nothing calls the stubs.
static bool isDeviceRuntimes(const char *name) {
  return (startsWith(name, "_Z16memcpy_3d_deviceI") && std::strstr(name, "12MemcpyParams")) ||
         (startsWith(name, "_Z16memset_3d_deviceI") && std::strstr(name, "12MemsetParams"));
}

bool isOfNvidia(const char *name) {
  return isInside(name) || startsWith(name, "__cudaLaunchKernel") || isOfVendor(name) ||
         isDeviceRuntimes(name) || (startsWith(name, "cuda") && rowOf(name));
}

const char *runtimeFunction(uint32_t number) {
  static constexpr const char *Names[] = {
#define CUDART(name) #name,
#include "api/RuntimeNames.def"
#undef CUDART
  };
  return number < std::size(Names) ? Names[number] : nullptr;
}

} // namespace gpuinstr
