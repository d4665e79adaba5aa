// Modules, functions and global variables; fat binaries are kept, not read.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Module.h"

#include "common/DeviceModel.h"
#include "device/kernel/KernelCode.h"
#include "device/memory/Allocations.h"
#include "device/stream/Stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace gpuinstr::sim {

namespace {

constexpr uint32_t FatWrapperMagic = 0x466243b1;
constexpr uint32_t FatBinaryMagic = 0xba55ed50;

/// Architecture (75 for sm_75) of the code that a device of capability \p device takes from a fat
/// binary: the highest one that is not above it; \p device when the image tells none.
int codeArchitecture(const void *image, int device) {
  struct Wrapper {
    uint32_t magic, version;
    const char *data;
  };
  struct Header {
    uint32_t magic;
    uint16_t version, headerBytes;
    uint64_t bytes;
  };
  struct Entry {
    uint16_t kind, version;
    uint32_t headerBytes;
    uint64_t bytes;
    uint32_t compressed, options;
    uint16_t minor, major;
    uint32_t architecture;
  };
  const char *at = static_cast<const char *>(image);
  Wrapper w;
  std::memcpy(&w, at, sizeof(w.magic));
  if (w.magic == FatWrapperMagic) {
    std::memcpy(&w, at, sizeof(w));
    at = w.data;
  }
  Header h;
  std::memcpy(&h, at, sizeof(h.magic));
  if (h.magic != FatBinaryMagic)
    return device;
  std::memcpy(&h, at, sizeof(h));
  int best = 0;
  const char *end = at + h.headerBytes + h.bytes;
  for (at += h.headerBytes; at + sizeof(Entry) <= end;) {
    Entry e;
    std::memcpy(&e, at, sizeof(e));
    int architecture = static_cast<int>(e.architecture);
    if (architecture <= device && architecture > best)
      best = architecture;
    if (e.headerBytes < sizeof(Entry))
      break;
    at += e.headerBytes + e.bytes;
  }
  return best ? best : device;
}

bool looksLikePtx(const char *text) {
  // A PTX file starts with comments and white space, then ".version".
  for (int i = 0; i < 4096 && text[i]; ++i) {
    if (text[i] == '/' && text[i + 1] == '/') {
      while (text[i] && text[i] != '\n')
        ++i;
      if (!text[i])
        return false;
    } else if (text[i] == '.') {
      return std::strncmp(text + i, ".version", 8) == 0;
    } else if (!std::strchr(" \t\r\n", text[i])) {
      return false;
    }
  }
  return false;
}

/// Bytes of one element of `.b32` and the like; 0: no type.
size_t elementBytes(const std::string &type) {
  if (type.size() < 3 || !std::strchr("bfsu", type[1]))
    return 0;
  return std::strtoul(type.c_str() + 2, nullptr, 10) / 8;
}

/// A declaration such as `.const .align 4 .b8 name[64]`, from behind the state space on.
void readVariable(CUmodule module, const std::string &declaration) {
  size_t element = 0;
  for (size_t at = 0; at < declaration.size();) {
    at = declaration.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos)
      return;
    size_t end = std::min(declaration.find_first_of(" \t\r\n[", at), declaration.size());
    std::string word = declaration.substr(at, end - at);
    at = end;
    if (size_t bytes = elementBytes(word)) {
      element = bytes;
    } else if (element && word[0] != '.') {
      size_t count = 1, bracket = declaration.find('[', end);
      if (bracket != std::string::npos)
        count = std::strtoul(declaration.c_str() + bracket + 1, nullptr, 10);
      module->variables[word].bytes = element * count;
      return;
    }
  }
}

void readVariables(CUmodule module, const char *text) {
  for (const char *space : {".global", ".const"}) {
    size_t length = std::strlen(space);
    for (const char *at = std::strstr(text, space); at; at = std::strstr(at, space)) {
      bool isWord =
          (at == text || std::strchr(" \t\r\n", at[-1])) && std::strchr(" \t\r\n", at[length]);
      at += length;
      if (isWord)
        readVariable(module, std::string(at, std::strcspn(at, ";={")));
    }
  }
}

/// Adds the names of all kernels in a PTX text to the module.
void readPtx(State &s, CUmodule module, const char *text) {
  static const char entry[] = ".entry";
  for (const char *at = std::strstr(text, entry); at; at = std::strstr(at, entry)) {
    at += sizeof(entry) - 1;
    at += std::strspn(at, " \t\r\n");
    std::string name(at, std::strcspn(at, " \t\r\n("));
    auto &function = module->functions[name];
    function = std::make_unique<CUfunc_st>();
    function->name = name;
    function->module = module;
    s.functions.insert(function.get());
  }
  module->namesKnown = true;
  readVariables(module, text);
}

CUfunction addFunction(State &s, CUmodule module, const char *name) {
  auto &function = module->functions[name];
  if (!function) {
    function = std::make_unique<CUfunc_st>();
    function->name = name;
    function->module = module;
    s.functions.insert(function.get());
  }
  return function.get();
}

} // namespace

CUresult loadModule(CUcontext context, const void *image, CUmodule *out) {
  if (!image || !out)
    return CUDA_ERROR_INVALID_VALUE;
  uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  bool ptx = looksLikePtx(static_cast<const char *>(image));
  bool elf = std::memcmp(image, "\177ELF", 4) == 0;
  if (!ptx && !elf && magic != FatWrapperMagic && magic != FatBinaryMagic)
    return CUDA_ERROR_INVALID_IMAGE;
  State &s = state();
  Lock l(s.m);
  auto *module = new CUmod_st;
  module->image = image;
  module->context = context;
  if (ptx)
    readPtx(s, module, static_cast<const char *>(image));
  s.modules.insert(module);
  *out = module;
  return CUDA_SUCCESS;
}

CUresult loadModuleFile(CUcontext context, const char *path, CUmodule *out) {
  if (!path || !out)
    return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 4)
    return CUDA_ERROR_INVALID_IMAGE;
  CUmodule module = nullptr;
  if (CUresult r = loadModule(context, bytes.c_str(), &module))
    return r;
  module->file = std::move(bytes);
  module->image = module->file.data();
  *out = module;
  return CUDA_SUCCESS;
}

CUresult unloadModule(CUmodule module) {
  State &s = state();
  Lock l(s.m);
  if (!s.modules.erase(module))
    return CUDA_ERROR_INVALID_HANDLE;
  // A kernel of it may be under way, as one that was launched while the program ends. To wait for
  // it might be for good.
  const bool mayRun = std::any_of(s.contexts.begin(), s.contexts.end(),
                                  [](CUcontext context) { return hasWork(*context); });
  static auto *unloaded = new std::vector<std::unique_ptr<CUfunc_st>>;
  for (auto &entry : module->functions) {
    s.functions.erase(entry.second.get());
    if (mayRun)
      unloaded->push_back(std::move(entry.second));
  }
  delete module;
  return CUDA_SUCCESS;
}

bool isModule(CUmodule module) {
  Lock l(state().m);
  return state().modules.count(module) != 0;
}

bool isFunction(CUfunction function) {
  Lock l(state().m);
  return state().functions.count(function) != 0;
}

CUresult getFunction(CUmodule module, const char *name, CUfunction *out) {
  State &s = state();
  Lock l(s.m);
  if (!name || !out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!s.modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!*name || (module->namesKnown && !module->functions.count(name)))
    return CUDA_ERROR_NOT_FOUND;
  *out = addFunction(s, module, name);
  return CUDA_SUCCESS;
}

CUresult getGlobal(CUcontext current, CUmodule module, const char *name, CUdeviceptr *address,
                   size_t *bytes) {
  State &s = state();
  Lock l(s.m);
  if (!name || !s.modules.count(module))
    return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  auto known = module->variables.find(name);
  if (known == module->variables.end())
    return CUDA_ERROR_NOT_FOUND;
  CUmod_st::Variable &variable = known->second;
  if (!variable.address) {
    CUdeviceptr made = 0;
    l.unlock(); // the allocation takes it
    CUresult r =
        allocateSymbol(module->context ? module->context : current, variable.bytes, false, &made);
    l.lock();
    if (r)
      return r;
    variable.address = made;
  }
  if (address)
    *address = variable.address;
  if (bytes)
    *bytes = variable.bytes;
  return CUDA_SUCCESS;
}

CUresult functionCount(CUmodule module, unsigned *count) {
  State &s = state();
  Lock l(s.m);
  if (!count || !s.modules.count(module))
    return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult enumerateFunctions(CUmodule module, unsigned count, CUfunction *out) {
  State &s = state();
  Lock l(s.m);
  if (!out || !s.modules.count(module))
    return CUDA_ERROR_INVALID_VALUE;
  unsigned i = 0;
  for (auto &entry : module->functions)
    if (i < count)
      out[i++] = entry.second.get();
  return CUDA_SUCCESS;
}

CUmodule registerModule(const void *fatBinary) {
  State &s = state();
  Lock l(s.m);
  auto *module = new CUmod_st;
  module->image = fatBinary;
  s.modules.insert(module);
  return module;
}

CUfunction registerFunction(CUmodule module, const char *name, const void *hostSymbol) {
  State &s = state();
  Lock l(s.m);
  CUfunction function = addFunction(s, module, name);
  function->hostSymbol = hostSymbol;
  return function;
}

CUresult functionAttribute(CUfunction function, CUfunction_attribute attribute, int *value) {
  State &s = state();
  Lock l(s.m);
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!s.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (EmbeddedKernel embedded = embeddedKernel(*function);
        embedded.record && embedded.record->max_threads_per_block)
      *value = static_cast<int>(embedded.record->max_threads_per_block);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(staticSharedBytes(*function));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
             deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (function->module && function->module->image)
      *value = codeArchitecture(function->module->image, *value);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->maxDynamicShared;
    return CUDA_SUCCESS;
  default:
    break;
  }
  if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = function->attributes.find(attribute);
  int unset = attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0;
  *value = found == function->attributes.end() ? unset : found->second;
  return CUDA_SUCCESS;
}

CUresult setFunctionAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  State &s = state();
  Lock l(s.m);
  if (!s.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value > deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = value;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
      (value < -1 || value > 100))
    return CUDA_ERROR_INVALID_VALUE;
  // Everything before the dynamic shared size can only be read.
  if (attribute <= CU_FUNC_ATTRIBUTE_BINARY_VERSION ||
      attribute == CU_FUNC_ATTRIBUTE_CACHE_MODE_CA || attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  function->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
