// Modules, functions and global variables; fat binaries are kept, not read.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Module.h"

#include "common/DeviceModel.h"
#include "device/kernel/KernelCode.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace gpuinstr::sim {

namespace {

constexpr uint32_t FatWrapperMagic = 0x466243b1;
constexpr uint32_t FatBinaryMagic = 0xba55ed50;

/// Architecture (75 for sm_75) of the code that a device of capability \p Device takes from a fat
/// binary: the highest one that is not above it; \p Device when the image tells none.
int codeArchitecture(const void *Image, int Device) {
  struct Wrapper {
    uint32_t Magic, Version;
    const char *Data;
  };
  struct Header {
    uint32_t Magic;
    uint16_t Version, HeaderBytes;
    uint64_t Bytes;
  };
  struct Entry {
    uint16_t Kind, Version;
    uint32_t HeaderBytes;
    uint64_t Bytes;
    uint32_t Compressed, Options;
    uint16_t Minor, Major;
    uint32_t Architecture;
  };
  const char *At = static_cast<const char *>(Image);
  Wrapper W;
  std::memcpy(&W, At, sizeof(W.Magic));
  if (W.Magic == FatWrapperMagic) {
    std::memcpy(&W, At, sizeof(W));
    At = W.Data;
  }
  Header H;
  std::memcpy(&H, At, sizeof(H.Magic));
  if (H.Magic != FatBinaryMagic)
    return Device;
  std::memcpy(&H, At, sizeof(H));
  int Best = 0;
  const char *End = At + H.HeaderBytes + H.Bytes;
  for (At += H.HeaderBytes; At + sizeof(Entry) <= End;) {
    Entry E;
    std::memcpy(&E, At, sizeof(E));
    int Architecture = static_cast<int>(E.Architecture);
    if (Architecture <= Device && Architecture > Best)
      Best = Architecture;
    if (E.HeaderBytes < sizeof(Entry))
      break;
    At += E.HeaderBytes + E.Bytes;
  }
  return Best ? Best : Device;
}

bool looksLikePtx(const char *Text) {
  // A PTX file starts with comments and white space, then ".version".
  for (int I = 0; I < 4096 && Text[I]; ++I) {
    if (Text[I] == '/' && Text[I + 1] == '/') {
      while (Text[I] && Text[I] != '\n')
        ++I;
      if (!Text[I])
        return false;
    } else if (Text[I] == '.') {
      return std::strncmp(Text + I, ".version", 8) == 0;
    } else if (!std::strchr(" \t\r\n", Text[I])) {
      return false;
    }
  }
  return false;
}

/// Adds the names of all kernels in a PTX text to the module.
void readPtx(State &S, CUmodule Module, const char *Text) {
  static const char Entry[] = ".entry";
  for (const char *At = std::strstr(Text, Entry); At; At = std::strstr(At, Entry)) {
    At += sizeof(Entry) - 1;
    At += std::strspn(At, " \t\r\n");
    std::string Name(At, std::strcspn(At, " \t\r\n("));
    auto &Function = Module->Functions[Name];
    Function = std::make_unique<CUfunc_st>();
    Function->Name = Name;
    Function->Module = Module;
    S.Functions.insert(Function.get());
  }
  Module->NamesKnown = true;
}

CUfunction addFunction(State &S, CUmodule Module, const char *Name) {
  auto &Function = Module->Functions[Name];
  if (!Function) {
    Function = std::make_unique<CUfunc_st>();
    Function->Name = Name;
    Function->Module = Module;
    S.Functions.insert(Function.get());
  }
  return Function.get();
}

} // namespace

CUresult loadModule(CUcontext Context, const void *Image, CUmodule *Out) {
  if (!Image || !Out)
    return CUDA_ERROR_INVALID_VALUE;
  uint32_t Magic = 0;
  std::memcpy(&Magic, Image, sizeof(Magic));
  bool Ptx = looksLikePtx(static_cast<const char *>(Image));
  bool Elf = std::memcmp(Image, "\177ELF", 4) == 0;
  if (!Ptx && !Elf && Magic != FatWrapperMagic && Magic != FatBinaryMagic)
    return CUDA_ERROR_INVALID_IMAGE;
  State &S = state();
  Lock L(S.M);
  auto *Module = new CUmod_st;
  Module->Image = Image;
  Module->Context = Context;
  if (Ptx)
    readPtx(S, Module, static_cast<const char *>(Image));
  S.Modules.insert(Module);
  *Out = Module;
  return CUDA_SUCCESS;
}

CUresult loadModuleFile(CUcontext Context, const char *Path, CUmodule *Out) {
  if (!Path || !Out)
    return CUDA_ERROR_INVALID_VALUE;
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::string Bytes((std::istreambuf_iterator<char>(File)), std::istreambuf_iterator<char>());
  if (Bytes.size() < 4)
    return CUDA_ERROR_INVALID_IMAGE;
  CUmodule Module = nullptr;
  if (CUresult R = loadModule(Context, Bytes.c_str(), &Module))
    return R;
  Module->File = std::move(Bytes);
  Module->Image = Module->File.data();
  *Out = Module;
  return CUDA_SUCCESS;
}

CUresult unloadModule(CUmodule Module) {
  State &S = state();
  Lock L(S.M);
  if (!S.Modules.erase(Module))
    return CUDA_ERROR_INVALID_HANDLE;
  for (auto &Entry : Module->Functions)
    S.Functions.erase(Entry.second.get());
  delete Module;
  return CUDA_SUCCESS;
}

bool isModule(CUmodule Module) {
  Lock L(state().M);
  return state().Modules.count(Module) != 0;
}

bool isFunction(CUfunction Function) {
  Lock L(state().M);
  return state().Functions.count(Function) != 0;
}

CUresult getFunction(CUmodule Module, const char *Name, CUfunction *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Name || !Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!S.Modules.count(Module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!*Name || (Module->NamesKnown && !Module->Functions.count(Name)))
    return CUDA_ERROR_NOT_FOUND;
  *Out = addFunction(S, Module, Name);
  return CUDA_SUCCESS;
}

CUresult functionCount(CUmodule Module, unsigned *Count) {
  State &S = state();
  Lock L(S.M);
  if (!Count || !S.Modules.count(Module))
    return CUDA_ERROR_INVALID_VALUE;
  *Count = static_cast<unsigned>(Module->Functions.size());
  return CUDA_SUCCESS;
}

CUresult enumerateFunctions(CUmodule Module, unsigned Count, CUfunction *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Out || !S.Modules.count(Module))
    return CUDA_ERROR_INVALID_VALUE;
  unsigned I = 0;
  for (auto &Entry : Module->Functions)
    if (I < Count)
      Out[I++] = Entry.second.get();
  return CUDA_SUCCESS;
}

CUmodule registerModule(const void *FatBinary) {
  State &S = state();
  Lock L(S.M);
  auto *Module = new CUmod_st;
  Module->Image = FatBinary;
  S.Modules.insert(Module);
  return Module;
}

CUfunction registerFunction(CUmodule Module, const char *Name, const void *HostSymbol) {
  State &S = state();
  Lock L(S.M);
  CUfunction Function = addFunction(S, Module, Name);
  Function->HostSymbol = HostSymbol;
  return Function;
}

CUresult functionAttribute(CUfunction Function, CUfunction_attribute Attribute, int *Value) {
  State &S = state();
  Lock L(S.M);
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!S.Functions.count(Function))
    return CUDA_ERROR_INVALID_HANDLE;
  switch (Attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Value = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (EmbeddedKernel Embedded = embeddedKernel(*Function);
        Embedded.Record && Embedded.Record->max_threads_per_block)
      *Value = static_cast<int>(Embedded.Record->max_threads_per_block);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *Value = static_cast<int>(staticSharedBytes(*Function));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *Value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *Value = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
             deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (Function->Module && Function->Module->Image)
      *Value = codeArchitecture(Function->Module->Image, *Value);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Value = Function->MaxDynamicShared;
    return CUDA_SUCCESS;
  default:
    break;
  }
  if (Attribute < 0 || Attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  auto Found = Function->Attributes.find(Attribute);
  int Unset = Attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0;
  *Value = Found == Function->Attributes.end() ? Unset : Found->second;
  return CUDA_SUCCESS;
}

CUresult setFunctionAttribute(CUfunction Function, CUfunction_attribute Attribute, int Value) {
  State &S = state();
  Lock L(S.M);
  if (!S.Functions.count(Function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (Value < 0 || Value > deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
      return CUDA_ERROR_INVALID_VALUE;
    Function->MaxDynamicShared = Value;
    return CUDA_SUCCESS;
  }
  if (Attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
      (Value < -1 || Value > 100))
    return CUDA_ERROR_INVALID_VALUE;
  // Everything before the dynamic shared size can only be read.
  if (Attribute <= CU_FUNC_ATTRIBUTE_BINARY_VERSION ||
      Attribute == CU_FUNC_ATTRIBUTE_CACHE_MODE_CA || Attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  Function->Attributes[Attribute] = Value;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
