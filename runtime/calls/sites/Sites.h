// All sites of the process, by index.
// SPDX-License-Identifier: Apache-2.0
//
// An index is given once and stays valid when the module is unloaded: descriptor and strings are
// copied before dlclose unmaps them. Counters, ledger and findings hold indices, never pointers.
#ifndef GPUINSTR_CALLS_SITES_SITES_H
#define GPUINSTR_CALLS_SITES_SITES_H

#include "calls/sites/KernelParameters.h"
#include "gpuinstr/abi.h"
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

/// 0 is no site.
using SiteIndex = uint32_t;

struct SiteLinks;

struct SiteInfo {
  std::atomic<const gpuinstr_site *> site{nullptr}; ///< in the module, or `copy`
  const gpuinstr_site *copy = nullptr;              ///< outlives the module, made once
  std::atomic<bool> firstClaimed{false};            ///< a thread has the process's first call
  std::atomic<bool> ran{false};
  std::atomic<void *> nvtxName{nullptr};         ///< registered string, once a tool listens
  std::atomic<const SiteLinks *> links{nullptr}; ///< see CallerRows.h; most have none
};

/// A module that registered, for coverage.
struct ModuleInfo {
  std::string image, source, producer;
  std::vector<std::string> addressesTaken;
  std::vector<SiteIndex> sites;            ///< neither callers nor inner
  const gpuinstr_module *module = nullptr; ///< nullptr once unloaded
};

/// Gives every site of the module its index. Twice the same module is fine.
void registerSites(gpuinstr_module *module);
/// Copies what outlives the module.
void unloadSites(gpuinstr_module *module);

/// The index of a site in use; registers it alone when its module has not registered yet
/// (initialisers that run early). 0 when there are no more indices.
SiteIndex indexOfSlow(const gpuinstr_site *site);
inline SiteIndex indexOf(const gpuinstr_site *site) {
  if (!site)
    return 0;
  SiteIndex index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  return __builtin_expect(index != 0, true) ? index : indexOfSlow(site);
}

/// nullptr for 0 and for an index never given.
SiteInfo *siteInfo(SiteIndex index);
/// nullptr likewise.
const gpuinstr_site *siteAt(SiteIndex index);
SiteIndex lastSiteIndex();

/// Whether the names of its function's parameters stand behind its arguments.
inline bool namesParameters(const gpuinstr_site &site) {
  return (site.flags & (GPUINSTR_SITE_THROUGH | GPUINSTR_SITE_NAMES)) ||
         ((site.flags & GPUINSTR_SITE_WRAPPER) && site.op != GPUINSTR_OP_CALLER);
}

/// With texts of its own.
gpuinstr_site *copyOf(const gpuinstr_site &site);

/// The kernel whose host stub this is; "" unknown.
std::string kernelName(const void *stub);

/// False: no such kernel, or one of a size that is not known.
bool kernelParameters(const void *stub, KernelParameters &parameters);
/// gpuinstr_kernel_flags of the kernel whose host stub this is; 0, which promises nothing, if there
/// is no such kernel.
uint32_t kernelFlags(const void *stub);
/// Whether a unit says that it defines a __constant__ variable of that name of the host's: kernels
/// can write it only where the program asked for its address.
bool isConstantVariable(const void *name);
/// Some code has __managed__ variables that the host may put addresses into. A change begins a new
/// kernelGeneration().
bool managedMayHoldAddresses();
/// Whether the program has asked the driver where such a variable lies.
void noteManagedAsked(bool asked = true);
/// Changes when kernels come or go.
uint64_t kernelGeneration();
/// A handle may be another kernel's from now on.
void forgetKernelHandles();

/// A snapshot.
std::vector<ModuleInfo> registeredModules();
/// How often one was registered.
uint64_t moduleRegistrations();

/// Holds the registry: dlclose waits with unmapping the strings of its sites.
class SitesLock {
public:
  SitesLock();
  SitesLock(const SitesLock &) = delete;
  ~SitesLock();
};

class Part;
Part &sitesPart();

} // namespace gpuinstr

#endif
