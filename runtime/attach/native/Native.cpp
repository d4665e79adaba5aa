// Places in compiled code: return addresses, and what is known of them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/Native.h"
#include "attach/native/ElfFile.h"
#include "attach/native/FrameRules.h"
#include "attach/native/LineProgram.h"
#include "attach/source/Lock.h"
#include "attach/source/SourceLine.h"
#include "base/system/ThreadStack.h"
#include "base/text/Demangled.h"
#include <atomic>
#include <cctype>
#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unordered_map>
#include <unwind.h>
#include <vector>

namespace gpuinstr::attach {

namespace {

constexpr unsigned DeepestUnwind = 64;
constexpr uint64_t LibraryBit = uint64_t(1) << 63; ///< a key that means all of a library
/// Above the address: how many libraries lay there before, and were unloaded.
constexpr unsigned ReuseAt = 48;
constexpr uint64_t AddressMask = (uint64_t(1) << ReuseAt) - 1;

/// CUDA, vendors' libraries, the interpreter, and what lies between them and the program.
constexpr const char *Passed[] = {
    "libcuda.so", "libcudart",    "libcupti",    "libnvidia-",       "libcublas",     "libcufft",
    "libcudnn",   "libnccl",      "libcusparse", "libcusolver",      "libcurand",     "libnpp",
    "libnvrtc",   "libnvJitLink", "libcutensor", "libnvjpeg",        "libnvToolsExt", "libgpuinstr",
    "libc.so",    "libc-2.",      "libstdc++",   "libgcc_s",         "ld-linux",      "libpthread",
    "libdl.so",   "libffi",       "linux-vdso",  "libpython",        "python2",       "python3",
    "_ctypes.",   "libm.so",      "librt.so",    "libcuda-injection"};

constexpr struct {
  const char *part, *pool;
} Keepers[] = {{"/cupy/cuda/memory.", "CuPy's pool"},
               {"/cupy/cuda/pinned_memory.", "CuPy's pinned pool"},
               {"/libc10_cuda", "PyTorch's pool"},
               {"/libtorch", "PyTorch's own memory"},
               {"/librmm", "RMM's pool"},
               {"/xla_cuda_plugin", "JAX's pool"},
               {"/xla_extension", "JAX's pool"},
               {"/libtensorflow", "TensorFlow's pool"},
               {"/libnccl", "NCCL's own memory"},
               {"/libcublas", "cuBLAS's own memory"},
               {"/libcudnn", "cuDNN's own memory"},
               {"/libcufft", "cuFFT's own memory"},
               {"/libcusparse", "cuSPARSE's own memory"},
               {"/libcusolver", "cuSOLVER's own memory"},
               {"/libcurand", "cuRAND's own memory"}};

struct Address {
  bool passed = false;
  std::atomic<bool> isGone{false}; ///< its library was unloaded
  uint64_t reuse = 0;              ///< of its key
  const char *pool = nullptr;
  std::string fileName; ///< as the loader has it
  std::string module;
  uint64_t base = 0;
  std::string symbol; ///< mangled
  FrameRule rule;
};

/// What lay at an address, one library after the other. None goes: threads may be looking at it.
struct Slot {
  Address *now = nullptr;
  std::vector<Address *> all;
};

std::unordered_map<uint64_t, Slot> &addresses() {
  static auto *all = new std::unordered_map<uint64_t, Slot>; // leaked: used during exit
  return *all;
}

/// Counts what the threads' caches must forget.
std::atomic<uint64_t> Unloads{0};

constexpr unsigned CacheBits = 9;
struct Cached {
  uint64_t address;
  const Address *what;
  FrameRule rule; ///< what->rule
};
thread_local Cached Cache[1 << CacheBits];
thread_local uint64_t CacheUnloads = 0; ///< Unloads when it was filled

std::string executable() {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, size_t(n)) : std::string();
}

/// cudart as a static library, and what the compiler puts around its calls.
bool isCudaSymbol(const std::string &name) {
  if (name.rfind("cuda", 0) == 0 && name.size() > 4)
    return std::isupper(static_cast<unsigned char>(name[4]));
  for (const char *start : {"__cudart", "libcudart_static_", "__device_stub__", "_ZN9__cudart",
                            "_Z16cudaLaunchKernel", "_ZL16cudaLaunchKernel", "__cuda"})
    if (name.rfind(start, 0) == 0)
      return true;
  return name.find("__device_stub__") != std::string::npos;
}

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
  found->passed = isCudaSymbol(found->symbol);
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

__attribute__((noinline)) const Cached &learn(Cached &cached, uint64_t address) {
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
  cached = {address, known, known->rule};
  return cached;
}

inline const Cached &lookUp(uint64_t address) {
  Cached &cached = Cache[address * 0x9e3779b97f4a7c15u >> (64 - CacheBits)];
  if (__builtin_expect(cached.what && cached.address == address, true))
    return cached;
  return learn(cached, address);
}

const Address &addressOf(uint64_t address) { return *lookUp(address).what; }

struct Walk {
  Places places;
  bool onlyPool;
  unsigned depth = 0;

  /// A function of the stack, from the inside outwards; `address` lies inside its call. True: all
  /// that was wanted is known.
  bool meets(uint64_t address, const Address &what) {
    if (++depth > DeepestUnwind)
      return true;
    if (what.pool && !places.pool)
      places.pool = what.pool;
    if (onlyPool)
      return places.pool;
    if (what.passed)
      return false;
    if (!places.place.value) {
      places.place = {address | what.reuse, false};
      return false;
    }
    places.caller = {address | what.reuse, false};
    return true;
  }
};

_Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  uint64_t address = _Unwind_GetIP(context);
  if (!address)
    return _URC_END_OF_STACK;
  bool done = static_cast<Walk *>(data)->meets(address - 1, addressOf(address - 1));
  return done ? _URC_END_OF_STACK : _URC_NO_REASON;
}

#ifdef GPUINSTR_HAS_FRAME_RULES
thread_local ThreadStack Stack; ///< nothing outside is read

/// False: a frame that no simple rule describes, or another stack than the thread's own.
bool walkByRules(StackPosition position, Walk &walk) {
  if (__builtin_expect(!Stack.end, false))
    Stack = findThreadStack();
  const uint64_t high = Stack.end;
  if (position.stack < Stack.begin)
    return false;
  while (position.at) {
    const Cached &cached = lookUp(position.at);
    const FrameRule rule = cached.rule;
    if (walk.meets(position.at, *cached.what) || rule.kind == FrameRule::Ends)
      return true;
    if (!position.step(rule, high))
      return false;
  }
  return true;
}
#else
bool walkByRules(const StackPosition &, Walk &) { return false; }
#endif

std::string hexText(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string plainName(const std::string &mangled) {
  std::string name = demangled(mangled.c_str());
  // Of a function the report shows the name; arguments fill the line.
  size_t open = name.find('(');
  if (name != mangled && open != std::string::npos && open > 0 && name.rfind("(anonymous", 0) != 0)
    name.resize(open);
  return name;
}

} // namespace

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

Places nativePlaces(const StackPosition &from, bool onlyPool) {
  if (__builtin_expect(CacheUnloads != Unloads.load(std::memory_order_relaxed), false)) {
    CacheUnloads = Unloads.load();
    for (Cached &cached : Cache)
      cached = {};
  }
  Walk walk{{}, onlyPool};
  if (!walkByRules(from, walk)) {
    walk = Walk{{}, onlyPool};
    _Unwind_Backtrace(step, &walk);
  }
  return walk.places;
}

PlaceKey libraryOf(PlaceKey place) {
  if (!place.value)
    return {};
  const Address &what = addressOf(place.value & AddressMask);
  return {what.base | what.reuse | LibraryBit, false};
}

bool isLibrary(PlaceKey place) { return !place.python && place.value & LibraryBit; }

PlaceText nativeText(PlaceKey place) {
  PlaceText text;
  if (place.value & LibraryBit) {
    Dl_info info = {};
    bool known = dladdr(reinterpret_cast<void *>(place.value & AddressMask), &info);
    std::string path = known && info.dli_fname ? info.dli_fname : "";
    text.file = path.substr(path.rfind('/') + 1);
    text.function = "a thread without a Python frame";
    return text;
  }
  const Address &what = addressOf(place.value & AddressMask);
  uint64_t offset = (place.value & AddressMask) - what.base;
  SourceLine line = lineAt(what.module, offset);
  text.file = line.file;
  text.line = line.line;
  text.function = plainName(what.symbol);
  if (text.line) {
    text.source = lineOfFile(text.file, text.line);
    return text;
  }
  text.file = what.module.substr(what.module.rfind('/') + 1);
  if (text.function.empty())
    text.function = "+" + hexText(offset);
  return text;
}

} // namespace gpuinstr::attach
