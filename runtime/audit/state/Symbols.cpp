// Device variables: where a symbol that the program copies to or from lies on the device.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/Symbols.h"
#include "calls/code/Images.h"
#include "calls/sites/Sites.h"
#include "cuda/DeviceVariables.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include <dlfcn.h>
#include <map>
#include <set>

namespace gpuinstr::audit {

namespace {

struct Symbols {
  std::mutex mutex;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> places; ///< by symbol and context; 0 unknown
};
Symbols &symbols() {
  static Symbols *instance = new Symbols; // leaked: used during exit
  return *instance;
}

uint64_t symbolOf(const cuda::CallOperands &o) {
  return o.slot(o.detail == 1 ? GPUINSTR_SLOT_SRC : GPUINSTR_SLOT_DST);
}

} // namespace

bool placeSymbol(cuda::CallOperands &o, uint64_t context) {
  if (o.op != GPUINSTR_OP_COPY_SYMBOL)
    return true;
  Symbols &s = symbols();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto it = s.places.find({symbolOf(o), context});
  if (it == s.places.end() || it->second == 0)
    return false;
  cuda::Region &side = o.detail == 1 ? o.src : o.dst;
  side.address = it->second + o.slot(GPUINSTR_SLOT_DEPTH);
  return true;
}

bool isHiddenSymbol(const cuda::CallOperands &o, uint64_t context) {
  Symbols &s = symbols();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto it = s.places.find({symbolOf(o), context});
  return it != s.places.end() && it->second == 0;
}

bool isReadOnlySymbol(const cuda::CallOperands &o) {
  return !Ranges::placesOfSymbols.load() &&
         isConstantVariable(reinterpret_cast<const void *>(symbolOf(o)));
}

bool learnSymbol(const cuda::CallOperands &o, uint64_t context, int device) {
  using Address = int(void **, const void *);
  using Size = int(size_t *, const void *);
  static auto *address = reinterpret_cast<Address *>(dlsym(RTLD_DEFAULT, "cudaGetSymbolAddress"));
  static auto *size = reinterpret_cast<Size *>(dlsym(RTLD_DEFAULT, "cudaGetSymbolSize"));
  const DriverApi *d = driverApi();
  uint64_t symbol = symbolOf(o);
  if (!symbol)
    return false;
  Symbols &s = symbols();
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (!s.places.emplace(std::make_pair(symbol, context), 0).second)
      return false; // asked before
  }
  if (!address || !size || !d || !staysOrIsSeenGoing(reinterpret_cast<const void *>(symbol)))
    return false;
  void *place = nullptr;
  size_t bytes = 0;
  {
    // The copy succeeded, so these do, and leave the program's last error as it is.
    RelaxedCapture relaxed(*d);
    auto *name = reinterpret_cast<const void *>(symbol);
    if (address(&place, name) != 0 || size(&bytes, name) != 0 || !place || !bytes)
      return false;
  }
  uint64_t base = reinterpret_cast<uint64_t>(place);
  const bool isReadOnly = isReadOnlySymbol(o);
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  std::lock_guard<std::mutex> placesLock(s.mutex);
  s.places[{symbol, context}] = base;
  if (a.ranges.find(base)) // known since before a reset of another context
    return true;
  Range &r = a.ranges.add(base, bytes, GPUINSTR_RES_DEVICE);
  r.context = context;
  r.device = device;
  r.site = r.caller = 0;
  r.used.store(true);
  r.escaped.store(true);
  r.global.store(true);
  r.variable = true;
  r.constant = isReadOnly;
  return true;
}

namespace {

/// Libraries that load ever new modules must not take memory without end.
constexpr size_t MostVariables = 4096;
std::atomic<size_t> Variables{0}; ///< those that are known

bool isKnown(const Range *range, const cuda::DeviceVariable &v, uint64_t context) {
  return range && range->byAddress && range->base == v.address && range->owner == v.owner &&
         range->context == context && (range->bytes == v.bytes || v.bytes == 0);
}

} // namespace

static void add(const cuda::DeviceVariable &v, uint64_t context, int device) {
  Auditor &a = auditor();
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (isKnown(a.ranges.find(v.address), v, context))
      return;
  }
  // Code on the host writes managed ones without a call: addresses, too, and reads what kernels
  // that name them have written.
  if (!cuda::isOfDeviceAlone(v.address)) {
    if (v.bytes >= sizeof(uint64_t))
      noteManagedAsked();
    a.sharesMemory.store(true, std::memory_order_relaxed);
    return;
  }
  std::lock_guard<AuditMutex> lock(a.mutex);
  while (Range *old = a.ranges.overlapping(v.address, v.bytes)) // gone, unseen
    a.releaseRange(*old, 0, 0);
  if (Variables.load() >= MostVariables)
    return;
  Range &r = a.ranges.add(v.address, v.bytes, GPUINSTR_RES_DEVICE);
  r.context = context;
  r.device = device;
  r.site = r.caller = 0;
  r.owner = v.owner;
  r.used.store(true);
  r.escaped.store(true);
  r.global.store(true);
  r.exported.store(true);
  r.variable = r.byAddress = true;
  Variables.fetch_add(1);
  cuda::addVariable(v.address, v.bytes);
}

void learnVariable(const Call &call, uint64_t context, int device) {
  cuda::DeviceVariable v = cuda::variableAsked(call.operands, call.site.callee);
  if (v.address && v.bytes)
    add(v, context, device);
}

void learnPlace(uint64_t symbol, uint64_t place, uint64_t context, int device) {
  using Size = int(size_t *, const void *);
  static auto *size = reinterpret_cast<Size *>(dlsym(RTLD_DEFAULT, "cudaGetSymbolSize"));
  {
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    const Range *range = a.ranges.find(place);
    if (range && range->base == place && range->context == context && range->variable) {
      if (!range->byAddress) // copied to by its name before
        cuda::addVariable(place, range->bytes);
      return;
    }
  }
  const DriverApi *d = driverApi();
  auto *name = reinterpret_cast<const void *>(symbol);
  if (!size || !d || !isInMainProgram(name))
    return;
  size_t bytes = 0;
  RelaxedCapture relaxed(*d);
  if (size(&bytes, name) == 0 && bytes) // the call before it went well, so does this one
    add({place, bytes, symbol}, context, device);
}

void variableGone(const Range &range) {
  Variables.fetch_sub(1);
  cuda::dropVariable(range.base);
}

void dropVariablesOf(uint64_t owner) {
  if (Variables.load() == 0)
    return;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  std::vector<Range *> gone;
  a.ranges.each([&](Range &range) {
    if (range.byAddress && range.owner == owner)
      gone.push_back(&range);
  });
  for (Range *range : gone)
    a.releaseRange(*range, 0, 0);
}

void forgetSymbols() {
  Symbols &s = symbols();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.places.clear();
}

void dropSymbolsOf(const void *inside) {
  Symbols &s = symbols();
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (s.places.empty())
      return;
  }
  const ImagePlace library = placeOfImage(inside);
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  std::set<Range *> gone;
  {
    std::lock_guard<std::mutex> placesLock(s.mutex);
    for (auto it = s.places.begin(); it != s.places.end();) {
      const uint64_t symbol = it->first.first, place = it->second;
      if (!library.has(symbol)) {
        ++it;
        continue;
      }
      Range *range = place ? a.ranges.find(place) : a.ranges.knownOpaque(symbol);
      if (range && (range->opaque || (range->variable && range->base == place)))
        gone.insert(range); // once, in however many contexts it was known
      it = s.places.erase(it);
    }
  }
  for (Range *range : gone)
    a.releaseRange(*range, 0, 0);
}

void lockSymbols() {
  symbols().mutex.lock();
  cuda::lockVariables();
}
void unlockSymbols() {
  cuda::unlockVariables();
  symbols().mutex.unlock();
}

void forgetVariables() {
  Variables.store(0);
  cuda::forgetVariables();
}

} // namespace gpuinstr::audit
