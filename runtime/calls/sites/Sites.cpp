// All sites of the process, by index.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/Sites.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "base/Part.h"
#include "base/system/Executable.h"
#include "calls/threads/Thread.h"
#include "cuda/CaptureTracker.h"
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <unordered_set>

namespace gpuinstr {

namespace {

// Two levels, so that readers need no lock: blocks are added, never moved.
constexpr uint32_t BlockSize = 1024, MaxBlocks = 1024;
struct Block {
  SiteInfo infos[BlockSize];
};
std::atomic<Block *> Blocks[MaxBlocks];
std::atomic<SiteIndex> LastIndex{0};

struct Registry {
  std::mutex mutex;
  std::vector<ModuleInfo> modules;
  std::unordered_map<const void *, std::string> kernels;
  std::unordered_map<const void *, KernelParameters> parameters;
  std::unordered_map<const void *, uint32_t> kernelFlags;
  std::unordered_set<const void *> constants; ///< __constant__ variables, by the host's name
  /// Sites of unloaded modules by place: a plugin loaded again and again takes no new indices.
  std::unordered_map<uint64_t, SiteIndex> unloaded;
};

std::atomic<uint64_t> KernelGeneration{1}, Registrations{0};
std::atomic<bool> ManagedAsked{false};
std::atomic<unsigned> ManagedHolders{0}; ///< modules whose __managed__ variables may hold addresses

Registry &registry() {
  static Registry *instance = new Registry; // leaked: used during exit
  return *instance;
}

uint64_t placeKey(const gpuinstr_site &site) {
  uint64_t key = hashMix(site.id, site.op);
  key = hashMix(key, hashText(site.file));
  return hashMix(key, (uint64_t(site.line) << 32) | site.column);
}

/// Code of an older plugin has an array of sites and no list.
/// Older modules end before it.
bool hasList(const gpuinstr_module &module) {
  return module.size >= offsetof(gpuinstr_module, code) && module.listed;
}

uint32_t numSites(const gpuinstr_module &module) {
  return hasList(module) ? module.num_listed : module.num_sites;
}

bool holdsManaged(const gpuinstr_module &module) {
  return module.size > offsetof(gpuinstr_module, flags) &&
         module.flags & GPUINSTR_MODULE_HOLDS_MANAGED;
}

template <class Visit> void eachConstant(const gpuinstr_module &module, Visit visit) {
  if (module.size <= offsetof(gpuinstr_module, constants) || !module.constants)
    return;
  for (const void *const *name = module.constants; *name; ++name)
    visit(*name);
}

const gpuinstr_site *siteOf(const gpuinstr_module &module, uint32_t i) {
  if (hasList(module))
    return module.listed[i];
  uint32_t stride = module.sites[0].size;
  return reinterpret_cast<const gpuinstr_site *>(reinterpret_cast<const char *>(module.sites) +
                                                 size_t(i) * stride);
}

const gpuinstr_kernel &kernelOf(const gpuinstr_module &module, uint32_t i) {
  return *reinterpret_cast<const gpuinstr_kernel *>(reinterpret_cast<const char *>(module.kernels) +
                                                    size_t(i) * module.kernels[0].size);
}

/// The array lies in writable memory, only its type is constant to everyone else.
void setIndex(const gpuinstr_site *site, SiteIndex index) {
  __atomic_store_n(const_cast<uint32_t *>(&site->index), index, __ATOMIC_RELEASE);
}

/// Under the lock.
SiteIndex addSite(Registry &r, const gpuinstr_site *site) {
  if (SiteIndex known = __atomic_load_n(&site->index, __ATOMIC_RELAXED))
    return known;
  SiteIndex index = 0;
  auto old = r.unloaded.find(placeKey(*site));
  if (old != r.unloaded.end()) {
    index = old->second;
    r.unloaded.erase(old);
  } else {
    index = LastIndex.load(std::memory_order_relaxed) + 1;
    if (index >= BlockSize * MaxBlocks)
      return 0;
    std::atomic<Block *> &block = Blocks[index / BlockSize];
    if (!block.load(std::memory_order_relaxed)) {
      Block *fresh = new (std::nothrow) Block;
      if (!fresh)
        return 0;
      block.store(fresh, std::memory_order_release);
    }
    LastIndex.store(index, std::memory_order_release);
  }
  siteInfo(index)->site.store(site, std::memory_order_release);
  setIndex(site, index);
  return index;
}

/// Of the program itself the linker knows what it was started as, which may be relative to a folder
/// or to PATH.
std::string imageOf(const void *address) {
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname)
    return {};
  const std::string name = info.dli_fname;
  if (name.empty() || name[0] == '/')
    return name;
  const std::string program = executable();
  const size_t file = name.rfind('/') + 1;
  const bool isProgram = program.substr(program.rfind('/') + 1) == name.substr(file);
  return isProgram ? program : name;
}

const char *keep(const char *text) { return text && *text ? strdup(text) : ""; }

} // namespace

gpuinstr_site *copyOf(const gpuinstr_site &site) {
  auto *copy = new gpuinstr_site{};
  std::memcpy(copy, &site, site.size < sizeof *copy ? site.size : sizeof *copy);
  copy->size = sizeof *copy;
  for (const char **text :
       {&copy->file, &copy->function, &copy->callee, &copy->variable, &copy->type, &copy->ignore})
    *text = keep(*text);
  unsigned texts = copy->num_arguments;
  if (namesParameters(*copy))
    while (site.arguments && site.arguments[texts])
      ++texts;
  auto **arguments = new const char *[texts + 1]();
  for (unsigned i = 0; i < texts; ++i)
    arguments[i] = keep(site.arguments[i]);
  copy->arguments = arguments;
  return copy;
}

SiteInfo *siteInfo(SiteIndex index) {
  if (index == 0 || index / BlockSize >= MaxBlocks)
    return nullptr;
  Block *block = Blocks[index / BlockSize].load(std::memory_order_acquire);
  return block ? &block->infos[index % BlockSize] : nullptr;
}

const gpuinstr_site *siteAt(SiteIndex index) {
  SiteInfo *info = siteInfo(index);
  return info ? info->site.load(std::memory_order_acquire) : nullptr;
}

SiteIndex lastSiteIndex() { return LastIndex.load(std::memory_order_acquire); }

SiteIndex indexOfSlow(const gpuinstr_site *site) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  return addSite(r, site);
}

void registerSites(gpuinstr_module *module) {
  ModuleInfo info;
  info.module = module;
  // Before the lock, for which the constructors of a library wait that another thread is loading:
  // that one has the dynamic linker's lock.
  info.image = imageOf(module->image);
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  for (const ModuleInfo &known : r.modules)
    if (known.module == module)
      return;
  Registrations.fetch_add(1, std::memory_order_relaxed);
  info.source = module->source ? module->source : "";
  info.producer = module->producer ? module->producer : "";
  for (uint32_t i = 0; i < numSites(*module); ++i) {
    const gpuinstr_site *site = siteOf(*module, i);
    SiteIndex index = addSite(r, site);
    // What stands in a CUDA header runs as part of somebody's call.
    if (index && site->op != GPUINSTR_OP_CALLER && !(site->flags & GPUINSTR_SITE_INNER))
      info.sites.push_back(index);
  }
  ManagedHolders += holdsManaged(*module);
  for (uint32_t i = 0; i < module->num_kernels; ++i) {
    const gpuinstr_kernel &kernel = kernelOf(*module, i);
    r.kernels[kernel.stub] = kernel.name ? kernel.name : "";
    // Two objects with one kernel: what either of them does not promise, it does not keep.
    KernelParameters described = describedParameters(kernel);
    if (auto [known, first] = r.parameters.try_emplace(kernel.stub, described); !first)
      addParameters(known->second, described);
    auto [flags, fresh] = r.kernelFlags.try_emplace(kernel.stub, kernel.flags);
    if (!fresh)
      flags->second &= kernel.flags;
  }
  eachConstant(*module, [&](const void *name) { r.constants.insert(name); });
  forgetKernelHandles();
  for (uint32_t i = 0; i < module->num_addresses_taken; ++i)
    info.addressesTaken.push_back(module->addresses_taken[i]);
  for (ModuleInfo &old : r.modules)
    if (!old.module && old.image == info.image && old.source == info.source) {
      old = std::move(info); // loaded again
      return;
    }
  r.modules.push_back(std::move(info));
}

void unloadSites(gpuinstr_module *module) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  for (auto it = r.modules.begin(); it != r.modules.end(); ++it) {
    if (it->module != module)
      continue;
    for (uint32_t i = 0; i < numSites(*module); ++i) {
      const gpuinstr_site *site = siteOf(*module, i);
      if (SiteInfo *info = siteInfo(site->index)) {
        if (!info->copy)
          info->copy = copyOf(*site);
        info->site.store(info->copy, std::memory_order_release);
        r.unloaded[placeKey(*site)] = site->index;
      }
    }
    for (uint32_t i = 0; i < module->num_kernels; ++i) {
      r.kernels.erase(kernelOf(*module, i).stub);
      r.parameters.erase(kernelOf(*module, i).stub);
      r.kernelFlags.erase(kernelOf(*module, i).stub);
    }
    eachConstant(*module, [&](const void *name) { r.constants.erase(name); });
    ManagedHolders -= holdsManaged(*module);
    it->module = nullptr;
    forgetKernelHandles(); // and attributions: another module's sites may come to lie there
    return;
  }
}

std::string kernelName(const void *stub) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  auto it = r.kernels.find(stub);
  return it == r.kernels.end() ? std::string() : it->second;
}

bool kernelParameters(const void *stub, KernelParameters &parameters) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  auto it = r.parameters.find(stub);
  if (it == r.parameters.end())
    return false;
  for (const KernelParameter &parameter : it->second)
    if (parameter.bytes == 0)
      return false;
  parameters = it->second;
  return true;
}

bool isConstantVariable(const void *name) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  return r.constants.count(name) != 0;
}

uint32_t kernelFlags(const void *stub) {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  auto it = r.kernelFlags.find(stub);
  return it == r.kernelFlags.end() ? 0 : it->second;
}

bool managedMayHoldAddresses() {
  return ManagedHolders.load(std::memory_order_relaxed) != 0 ||
         ManagedAsked.load(std::memory_order_relaxed);
}

/// What threads remember of kernels, some attributions and LastLaunch among it, holds no longer.
static void beginKernelGeneration() {
  KernelGeneration.fetch_add(1, std::memory_order_release);
  forgetAttributions();
}

void noteManagedAsked(bool asked) {
  if (ManagedAsked.exchange(asked) != asked)
    beginKernelGeneration();
}

GPUINSTR_HOT uint64_t kernelGeneration() {
  return KernelGeneration.load(std::memory_order_acquire);
}

void forgetKernelHandles() {
  beginKernelGeneration();
  cuda::Captures.forgetAnswers(); // launches into them are known by their kernel
}

uint64_t moduleRegistrations() { return Registrations.load(std::memory_order_relaxed); }

std::vector<ModuleInfo> registeredModules() {
  Registry &r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  return r.modules;
}

SitesLock::SitesLock() { registry().mutex.lock(); }
SitesLock::~SitesLock() { registry().mutex.unlock(); }

namespace {
class SitesPart : public Part {
public:
  void lock() override { registry().mutex.lock(); }
  void unlock() override { registry().mutex.unlock(); }
};
} // namespace

Part &sitesPart() {
  static Part *part = new SitesPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
