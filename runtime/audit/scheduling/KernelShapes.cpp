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
bool driverParameters(uint64_t function, KernelParameters &parameters) {
  std::vector<uint32_t> sizes;
  bool known = cuda::driverParameterSizes(function, sizes);
  for (uint32_t bytes : sizes)
    parameters.push_back({bytes, 2, GPUINSTR_ACCESS_UNKNOWN, {}});
  return known;
}

/// A parameter that may hold addresses: in one part, or each member of which more is known, and
/// what lies between.
void addParts(std::vector<KernelShape::Parameter> &found, uint32_t index,
              const KernelParameter &p) {
  constexpr uint32_t MostPacked = 64; // each of its bytes is looked at, in each launch
  constexpr uint32_t Word = sizeof(uint64_t);
  auto add = [&](uint32_t offset, uint32_t bytes, uint8_t access) {
    // A number beside pointers may be handed on; only as the parameter says, it is followed.
    const bool leads = p.pointer != 1 && access & p.access & LeadsOn;
    // An address can travel as a number: then nobody says what is done with it.
    found.push_back({uint16_t(index), uint16_t(offset), bytes,
                     p.pointer ? access : uint8_t(GPUINSTR_ACCESS_UNKNOWN), p.pointer == 1, leads,
                     leads && p.pointer == 0 && bytes > Word && bytes <= MostPacked});
  };
  if (p.pointer != 2 || p.members.empty() || p.bytes > UINT16_MAX)
    return add(0, p.bytes, p.access);
  uint32_t from = 0;
  for (const KernelParameter::Member &member : p.members) {
    if (member.offset < from || member.offset + Word > p.bytes)
      continue;
    if (member.offset - from >= Word)
      add(from, member.offset - from, p.access);
    add(member.offset, Word, member.access);
    from = member.offset + Word;
  }
  if (p.bytes - from >= Word)
    add(from, p.bytes - from, p.access);
}

bool hasOnlyWords(const KernelShape &shape) {
  constexpr uint8_t Plain = GPUINSTR_ACCESS_READ | GPUINSTR_ACCESS_WRITE | GPUINSTR_ACCESS_REGULAR;
  const auto *first = shape.parameters, *end = first + shape.count;
  auto isPlain = [](const KernelShape::Parameter &p) {
    return !p.pointer || (p.access && !(p.access & ~Plain));
  };
  const auto pointers =
      std::count_if(first, end, [](const KernelShape::Parameter &p) { return p.pointer; });
  return !shape.hasStructs && !shape.leadsByValue && pointers <= LaunchMemo::Ways &&
         std::all_of(first, end, isPlain);
}

KernelShape *makeShape(uint64_t function, bool isDriverCall, uint64_t generation) {
  auto *shape = new KernelShape;
  shape->generation = generation;
  KernelParameters parameters;
  if (!kernelParameters(reinterpret_cast<const void *>(function), parameters))
    shape->known = isDriverCall && driverParameters(function, parameters);
  uint32_t flags = kernelFlags(reinterpret_cast<const void *>(function));
  shape->ends = flags & GPUINSTR_KERNEL_ENDS;
  shape->keepsVariables = flags & GPUINSTR_KERNEL_KEEPS_GLOBALS;
  // One that reads what a managed variable leads to keeps none.
  shape->followsHost = !shape->keepsVariables && managedMayHoldAddresses();
  std::vector<KernelShape::Parameter> found;
  for (uint32_t i = 0; i < parameters.size(); ++i) {
    const KernelParameter &p = parameters[i];
    shape->bytes.push_back(p.bytes);
    if (p.pointer || p.bytes >= sizeof(uint64_t))
      addParts(found, i, p);
    shape->hasStructs |= p.bytes > sizeof(uint64_t);
  }
  for (const KernelShape::Parameter &p : found)
    shape->leadsByValue |= p.leads;
  shape->count = uint32_t(found.size());
  auto *kept = found.size() <= KernelShape::Few // else leaked, as the shape
                   ? shape->first
                   : new KernelShape::Parameter[found.size()];
  std::copy(found.begin(), found.end(), kept);
  shape->parameters = kept;
  shape->onlyWords = hasOnlyWords(*shape);
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

void lockKernelShapes() { shapes().mutex.lock(); }
void unlockKernelShapes() { shapes().mutex.unlock(); }

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
