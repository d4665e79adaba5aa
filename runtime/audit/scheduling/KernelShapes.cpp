// What is known of a kernel's parameters: where its arguments may hold addresses.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/KernelShapes.h"
#include "base/Hash.h"
#include "calls/sites/Sites.h"
#include "cuda/DriverFacts.h"
#include "cuda/operands/LaunchConfig.h"
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpuinstr::audit {

namespace {

struct KernelShapes {
  std::mutex mutex;
  std::unordered_map<uint64_t, KernelShape *> byFunction; ///< leaked: threads hold pointers
};
KernelShapes &shapes() {
  static KernelShapes *instance = new KernelShapes;
  return *instance;
}

/// Of a CUfunction that no stub names: it may hold pointers anywhere.
bool driverParameters(uint64_t function, std::vector<KernelParameter> &parameters) {
  std::vector<uint32_t> sizes;
  bool known = cuda::driverParameterSizes(function, sizes);
  for (uint32_t bytes : sizes)
    parameters.push_back({bytes, 2, GPUINSTR_ACCESS_UNKNOWN});
  return known;
}

KernelShape *makeShape(uint64_t function, bool isDriverCall, uint64_t generation) {
  auto *shape = new KernelShape;
  shape->generation = generation;
  std::vector<KernelParameter> parameters;
  if (!kernelParameters(reinterpret_cast<const void *>(function), parameters))
    shape->known = isDriverCall && driverParameters(function, parameters);
  constexpr uint32_t MostPacked = 64; // each of its bytes is looked at, in each launch
  uint32_t flags = kernelFlags(reinterpret_cast<const void *>(function));
  shape->ends = flags & GPUINSTR_KERNEL_ENDS;
  shape->keepsVariables = flags & GPUINSTR_KERNEL_KEEPS_GLOBALS;
  // One that reads what a managed variable leads to keeps none.
  shape->followsHost = !shape->keepsVariables && managedMayHoldAddresses();
  auto *kept = parameters.size() <= KernelShape::Few
                   ? shape->first // else leaked, as the shape
                   : new KernelShape::Parameter[parameters.size()];
  for (const KernelParameter &p : parameters)
    shape->bytes.push_back(p.bytes);
  for (uint32_t i = 0; i < parameters.size(); ++i)
    if (const KernelParameter &p = parameters[i]; p.pointer || p.bytes >= 8) {
      // An address can travel as a number: then nobody says what is done with it.
      const bool leads = p.pointer != 1 && p.access & GPUINSTR_ACCESS_UNKNOWN;
      kept[shape->count++] = {i,
                              p.bytes,
                              p.pointer ? p.access : uint8_t(GPUINSTR_ACCESS_UNKNOWN),
                              p.pointer == 1,
                              leads,
                              leads && p.pointer == 0 && p.bytes > sizeof(uint64_t) &&
                                  p.bytes <= MostPacked};
      shape->leadsByValue |= leads;
      shape->hasStructs |= p.bytes > sizeof(uint64_t);
    }
  shape->parameters = kept;
  return shape;
}

void drop(KernelShape *shape) {
  if (shape->parameters != shape->first)
    delete[] shape->parameters;
  delete shape;
}

} // namespace

const KernelShape *findKernelShape(LaunchCache &cache, uint64_t function, bool isDriverCall) {
  uint64_t generation = kernelGeneration();
  LaunchCache::Kernel &met = cache.kernelOf(function);
  if (met.function == function && cache.shapeGeneration == generation) {
    cache.function = function;
    cache.shape = met.shape;
    return static_cast<const KernelShape *>(met.shape);
  }
  KernelShapes &all = shapes();
  std::lock_guard<std::mutex> lock(all.mutex);
  KernelShape *&shape = all.byFunction[function];
  if (!shape || shape->generation != generation) {
    KernelShape *fresh = makeShape(function, isDriverCall, generation);
    if (shape && shape->equals(*fresh))
      shape->generation = generation, drop(fresh);
    else
      shape = fresh; // the old one may be in use
  }
  if (cache.shapeGeneration != generation)
    for (LaunchCache::Kernel &kernel : cache.kernels)
      kernel = LaunchCache::Kernel();
  met.function = cache.function = function;
  met.shape = cache.shape = shape;
  cache.shapeGeneration = generation;
  return shape;
}

uint64_t hashOfLaunch(const KernelShape &shape, const gpuinstr_frame &frame,
                      void *const *arguments) {
  const gpuinstr_site &site = *frame.site;
  auto slot = [&](unsigned i) { return site.slots >> i & 1 ? frame.slot[i] : 0; };
  uint64_t hash = slot(GPUINSTR_SLOT_FUNC);
  for (unsigned i : {GPUINSTR_SLOT_GRID_XY, GPUINSTR_SLOT_GRID_Z, GPUINSTR_SLOT_BLOCK_XY,
                     GPUINSTR_SLOT_BLOCK_Z, GPUINSTR_SLOT_SHARED})
    hash = hashMix(hash, slot(i));
  if (auto *config =
          reinterpret_cast<const cuda::RuntimeLaunchConfig *>(slot(GPUINSTR_SLOT_PARAMS)))
    for (unsigned i = 0; i < 3; ++i)
      hash = hashMix(hash, config->grid[i] | uint64_t(config->block[i]) << 32);
  for (size_t i = 0; i < shape.bytes.size(); ++i)
    for (uint32_t at = 0; arguments[i] && at < shape.bytes[i]; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, static_cast<const char *>(arguments[i]) + at,
                  std::min<uint64_t>(sizeof word, shape.bytes[i] - at));
      hash = hashMix(hash, word);
    }
  return hash;
}

} // namespace gpuinstr::audit
