// What lies at an address of compiled code: a library, a function, whose it is.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/Addresses.h"
#include "attach/native/Native.h"
#include "attach/native/PlaceFrames.h"
#include "attach/source/Lock.h"
#include "base/HotCode.h"
#include "base/system/Executable.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unordered_map>
#include <vector>

namespace gpuinstr::attach {

GPUINSTR_HOT_DATA std::atomic<uint64_t> Unloads{0};

namespace {

/// CUDA, vendors' libraries, the interpreter, and what lies between them and the program.
constexpr const char *Passed[] = {
    "libcuda.so",  "libcudart", "libcupti",     "libnvidia-",  "libcublas",        "libcufft",
    "libcudnn",    "libnccl",   "libnvshmem",   "libcusparse", "libcusolver",      "libcurand",
    "libnpp",      "libnvrtc",  "libnvJitLink", "libcutensor", "libnvjpeg",        "libnvToolsExt",
    "libgpuinstr", "libc.so",   "libc-2.",      "libstdc++",   "libgcc_s",         "ld-linux",
    "libpthread",  "libdl.so",  "libffi",       "linux-vdso",  "libpython",        "python2",
    "python3",     "_ctypes.",  "libm.so",      "librt.so",    "libcuda-injection"};

constexpr struct {
  const char *part, *pool;
  bool communicates = false; ///< with other processes, once it has memory
} Keepers[] = {{"/cupy/cuda/memory.", "CuPy's pool"},
               {"/cupy/cuda/pinned_memory.", "CuPy's pinned pool"},
               {"/libc10_cuda", "PyTorch's pool"},
               {"/libtorch", "PyTorch's own memory"},
               {"/librmm", "RMM's pool"},
               {"/xla_cuda_plugin", "JAX's pool"},
               {"/xla_extension", "JAX's pool"},
               {"/libtensorflow", "TensorFlow's pool"},
               {"/libnccl", "NCCL's own memory", true},
               {"/libnvshmem", "NVSHMEM's own memory", true},
               {"/libcublas", "cuBLAS's own memory"},
               {"/libcudnn", "cuDNN's own memory"},
               {"/libcufft", "cuFFT's own memory"},
               {"/libcusparse", "cuSPARSE's own memory"},
               {"/libcusolver", "cuSOLVER's own memory"},
               {"/libcurand", "cuRAND's own memory"}};

/// What lay at an address, one library after the other. None goes: threads may be looking at it.
struct Slot {
  Address *now = nullptr;
  std::vector<Address *> all;
};

std::unordered_map<uint64_t, Slot> &addresses() {
  static auto *all = new std::unordered_map<uint64_t, Slot>; // leaked: used during exit
  return *all;
}

thread_local MetAddresses Met;

Address *describe(uint64_t address) {
  auto *found = new Address;
  found->rule = frameRuleAt(address);
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(address), &info) || !info.dli_fname) {
    found->passed = true; // made at run time: Numba's, Triton's, libffi's
    return found;
  }
  found->base = reinterpret_cast<uint64_t>(info.dli_fbase);
  found->module = found->fileName = info.dli_fname;
  if (access(found->module.c_str(), R_OK) != 0 || found->module.find('/') == std::string::npos)
    found->module = executable();
  size_t slash = found->module.rfind('/');
  const char *file = found->module.c_str() + (slash == std::string::npos ? 0 : slash + 1);
  for (const char *start : Passed)
    found->passed |= std::strncmp(file, start, std::strlen(start)) == 0;
  for (auto &known : Keepers)
    if (found->module.find(known.part) != std::string::npos)
      found->pool = known.pool;
  if (found->passed)
    return found;
  if (info.dli_sname)
    found->symbol = info.dli_sname;
  else
    found->symbol = symbolAt(found->module, address - found->base);
  found->passed = isPassed(*found, address);
  return found;
}

/// With the lock held.
Address *take(Slot &slot, Address *fresh) {
  if (slot.now && !slot.now->isGone)
    return slot.now; // another thread was faster
  for (Address *old : slot.all)
    if (old->fileName == fresh->fileName && old->base == fresh->base) {
      old->isGone = false;
      return slot.now = old;
    }
  fresh->reuse = uint64_t(slot.all.size()) << ReuseAt;
  slot.all.push_back(fresh);
  return slot.now = fresh;
}

} // namespace

MetAddresses &metAddresses() { return Met; }

const char *communicatorOf(const char *pool) {
  for (auto &known : Keepers)
    if (known.communicates && !std::strcmp(known.pool, pool))
      return known.part;
  return nullptr;
}

__attribute__((noinline)) void MetAddresses::learn(MetAddress &met, uint64_t address) {
  Address *known = nullptr;
  {
    TablesLock lock(tablesMutex());
    auto at = addresses().find(address);
    if (at != addresses().end())
      known = at->second.now;
  }
  if (!known || known->isGone) {
    Address *fresh = describe(address);
    TablesLock lock(tablesMutex());
    known = take(addresses()[address], fresh);
    if (known != fresh)
      delete fresh;
  }
  met = {address, known, known->rule};
}

void noteUnloads() {
  unsigned long long unloads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t size, void *data) {
        if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
          *static_cast<unsigned long long *>(data) = info->dlpi_subs;
        return 1;
      },
      &unloads);
  static std::atomic<unsigned long long> before{0};
  if (__builtin_expect(before.exchange(unloads) == unloads, true))
    return;
  TablesLock lock(tablesMutex());
  for (auto &[address, slot] : addresses()) {
    Address *known = slot.now;
    Dl_info info = {};
    bool isThere = dladdr(reinterpret_cast<void *>(address), &info) != 0;
    if (!known->fileName.empty() && (!isThere || known->fileName != info.dli_fname))
      known->isGone = true;
  }
  Unloads.fetch_add(1);
}

} // namespace gpuinstr::attach
