// Allocations and frees: keeps the ledger, judges frees that fail and allocations that do.
// SPDX-License-Identifier: Apache-2.0
#include "memory/MemoryObserver.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "base/system/LoadedModules.h"
#include "base/system/ThreadStack.h"
#include "calls/CudaState.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include "cuda/errors/ErrorNames.h"
#include "cuda/operands/ArrayElements.h"
#include "cuda/operands/GraphNode.h"
#include "findings/Findings.h"
#include "ledger/Ledger.h"
#include "memory/Leaks.h"
#include <atomic>

namespace gpuinstr {

namespace {

class MemoryObserver final : public Observer {
public:
  MemoryObserver()
      : Observer(opBit(GPUINSTR_OP_FREE) | opBit(GPUINSTR_OP_DESTROY) |
                     opBit(GPUINSTR_OP_RESET_DEVICE),
                 opBit(GPUINSTR_OP_ALLOC) | opBit(GPUINSTR_OP_FREE) | opBit(GPUINSTR_OP_CREATE) |
                     opBit(GPUINSTR_OP_DESTROY) | opBit(GPUINSTR_OP_CAPTURE_END) |
                     opBit(GPUINSTR_OP_GRAPH_NODE) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  void before(const Call &call) override;
  void after(const Call &call) override;
  /// Of nodes, those that free memory; events; plain memory.
  const ShortLook *shortLook(const gpuinstr_site &site) const override;
};

/// Or would have been, had the device not been lost before: the program asked for it.
bool wasFreed(const Call &call) {
  return call.result == 0 || call.result == ErrorUnloading || losesDevice(call.result);
}

void noteOutOfMemory(const Call &call) {
  // The device's memory only: a host that has no more to pin is another matter.
  if (!isDeviceMemory(call.operands.resource) || call.thread.paused)
    return;
  FindingKey key;
  key.pattern = Pattern::OutOfMemory;
  key.grade = Grade::Information;
  key.site = call.chargedSite;
  key.caller = call.caller;
  key.resource = uint16_t(call.operands.resource);
  key.error = call.result;
  key.driverError = call.site.flags & GPUINSTR_SITE_CU_RESULT;
  uint64_t free = 0, total = 0;
  memoryInfo(free, total);
  std::vector<OwnerRow> holders = ledger().holdersNow();
  recordFinding(key, call.operands.bytes, [&](FindingRecord &record) {
    if (record.count == 1) {
      record.free = free;
      record.holders = std::move(holders);
    }
  });
}

/// Where the driver can say so, one question is all that plain device memory takes besides that for
/// the context, for all observers.
GPUINSTR_HOT void askForMemory(ThreadState &thread, Allocation &a) {
  Surroundings &known = thread.surroundings;
  bool isPlain = a.resource == GPUINSTR_RES_DEVICE || a.resource == GPUINSTR_RES_PITCHED;
  if (isPlain && !known.asked && !cuda::Captures.anyOpen())
    if (NewMemory made = newDeviceMemory(a.address); made.bufferId) {
      known = {true, made.device, currentContext()};
      a.bufferId = made.bufferId;
    }
  a.device = int16_t(surroundingsOf(thread).device);
  a.context = surroundingsOf(thread).context;
  if (isMemory(a.resource) && !a.graphOwned && !a.bufferId)
    a.bufferId = bufferIdOf(a.address);
}

GPUINSTR_HOT void noteAllocated(const Call &call) {
  if (call.result != 0) {
    if (call.result == ErrorMemoryAllocation && call.operands.op == GPUINSTR_OP_ALLOC)
      noteOutOfMemory(call);
    return;
  }
  const cuda::CallOperands &operation = call.operands;
  const cuda::Made made = resultOf(operation);
  Allocation a;
  a.address = made.address;
  if (!a.address)
    return; // cudaMalloc of 0 bytes succeeds with a null pointer
  if (isMemory(operation.resource) && a.address != operation.dst.address)
    a.slot = operation.dst.address; // a call that registers memory stores nothing
  a.bytes = operation.op == GPUINSTR_OP_ALLOC ? made.bytes : 0;
  a.resource = uint16_t(operation.resource);
  a.site = call.chargedSite;
  a.caller = call.caller;
  a.pool = operation.pool;
  if (operation.resource == GPUINSTR_RES_ASYNC)
    a.graphOwned = streamIsCapturing(operation.stream);
  askForMemory(call.thread, a);
  if (a.resource == GPUINSTR_RES_ARRAY)
    cuda::noteArray(operation, a.address);
  if (a.resource == GPUINSTR_RES_STREAM || a.resource == GPUINSTR_RES_EVENT)
    noteHandleMade();
  ledger().add(a);
}

FindingKey freeKey(const Call &call, Pattern pattern) {
  FindingKey key;
  key.pattern = pattern;
  key.site = call.chargedSite;
  key.caller = call.caller;
  key.error = call.result;
  key.driverError = call.site.flags & GPUINSTR_SITE_CU_RESULT;
  return key;
}

/// Errors by which CUDA says that the pointer or handle itself is wrong; any other, such as that of
/// an earlier kernel, says nothing about it.
bool blamesOperand(int32_t result) {
  return result == ErrorInvalidValue || result == ErrorInvalidDevicePointer ||
         result == ErrorInvalidHandle || result == ErrorHostMemoryNotRegistered;
}

/// In the data of the program or of a library.
bool isOfModule(uint64_t address) {
  bool found = false;
  eachLoadedModule([&](const dl_phdr_info &module) {
    for (unsigned i = 0; i < module.dlpi_phnum && !found; ++i) {
      const auto &part = module.dlpi_phdr[i];
      found = part.p_type == PT_LOAD && address - module.dlpi_addr - part.p_vaddr < part.p_memsz;
    }
    return !found;
  });
  return found;
}

/// Of an address that neither the ledger nor CUDA knows.
GivenAddress givenAddress(uint64_t address) {
  if (ledger().findFreed(address) || cuda::sideOf(address) != cuda::Side::Host)
    return GivenAddress::Unknown;
  const ThreadStack stack = findThreadStack();
  if (address - stack.begin < stack.end - stack.begin)
    return GivenAddress::OfStack;
  return isOfModule(address)         ? GivenAddress::OfVariable
         : cuda::isPageable(address) ? GivenAddress::OfHost
                                     : GivenAddress::Unknown; // pinned by code that is not seen
}

std::optional<Freed> freedBefore(const Call &call) {
  const uint64_t address = call.operands.dst.address;
  const unsigned resource = call.operands.resource;
  return isMemory(resource) ? ledger().findFreed(address)
                            : ledger().findFreedHandle(resource, address);
}

bool isByReset(const Freed &freed) {
  const gpuinstr_site *site = siteAt(freed.site);
  return site && site->op == GPUINSTR_OP_RESET_DEVICE;
}

/// The error that a handle of a context gets that a reset has ended.
bool blamesReset(const Call &call) {
  if (call.result != ErrorContextIsDestroyed)
    return false;
  const std::optional<Freed> freed = freedBefore(call);
  return freed && isByReset(*freed);
}

void noteBadFree(const Call &call) {
  uint64_t address = call.operands.dst.address;
  unsigned resource = call.operands.resource;
  bool memory = isMemory(resource);
  std::optional<Freed> freed = freedBefore(call);
  std::optional<Allocation> live =
      memory ? ledger().find(address) : ledger().findHandle(resource, address);
  if (live) {
    // Inside a live allocation, or its start given to the wrong function. Where the driver knows
    // nothing of it any more, somebody whom we do not see has freed it first.
    bool gone =
        memory && resource != GPUINSTR_RES_REGISTERED && driverRange(address).life == Life::Dead;
    FindingKey key = freeKey(call, gone ? Pattern::DoubleFree : Pattern::InvalidFree);
    key.related = live->site;
    key.owner = live->site;
    key.ownerCaller = live->caller;
    key.resource = live->resource;
    key.name = live->name;
    recordFinding(key, live->bytes, [&](FindingRecord &record) {
      const uint64_t into = address - live->address;
      const GivenAddress given = !memory ? GivenAddress::Unknown
                                 : into  ? GivenAddress::Inside
                                         : GivenAddress::Other;
      if (record.count > 1 && (record.given != given || record.past != into))
        record.given = GivenAddress::Unknown; // some of either kind
      else
        record.given = given;
      record.past = into;
      record.capacity = live->bytes;
    });
    return;
  }
  if (freed && freed->address == address) {
    const bool late = isByReset(*freed);
    FindingKey key = freeKey(call, late ? Pattern::InvalidFree : Pattern::DoubleFree);
    key.related = freed->site;
    key.owner = freed->allocSite;
    key.ownerCaller = freed->allocCaller;
    key.name = freed->name;
    key.resource = freed->resource;
    recordFinding(key, freed->bytes, [&](FindingRecord &record) {
      record.given = late ? GivenAddress::OfReset : GivenAddress::Unknown;
    });
    if (late)
      dropLeakOfReset(freed->resource, address); // one mistake, not two
    return;
  }
  FindingKey key = freeKey(call, Pattern::InvalidFree);
  key.resource = uint16_t(resource);
  const GivenAddress given = memory ? givenAddress(address) : GivenAddress::Unknown;
  recordFinding(key, 0, [&](FindingRecord &record) {
    record.given = record.count == 1 || record.given == given ? given : GivenAddress::Unknown;
  });
}

GPUINSTR_HOT void noteFreed(const Call &call) {
  uint64_t address = call.operands.dst.address;
  if (!address)
    return; // cudaFree(nullptr) is legal
  if (!wasFreed(call)) {
    if (!call.thread.paused && (blamesOperand(call.result) || blamesReset(call)))
      noteBadFree(call);
    return;
  }
  Freed by;
  by.site = call.chargedSite;
  by.caller = call.caller;
  by.async = call.operands.resource == GPUINSTR_RES_ASYNC;
  ledger().remove(call.operands.resource, address, call.thread.freeing, by);
  if (call.operands.resource == GPUINSTR_RES_POOL)
    ledger().takeIf(
        [&](const Allocation &a) { return a.resource == GPUINSTR_RES_ASYNC && a.pool == address; });
}

/// A capture has become this graph.
void noteCaptured(const ThreadState &thread, uint64_t handle) {
  if (!handle)
    return;
  Allocation a;
  a.address = handle;
  a.resource = GPUINSTR_RES_GRAPH;
  a.device = int16_t(currentDevice());
  a.site = thread.root.site;
  a.caller = thread.root.caller;
  ledger().add(a);
}

GPUINSTR_HOT void MemoryObserver::before(const Call &call) {
  switch (call.operands.op) {
  case GPUINSTR_OP_FREE:
  case GPUINSTR_OP_DESTROY: {
    unsigned resource = call.operands.resource;
    uint64_t address = call.operands.dst.address;
    if (resource == GPUINSTR_RES_ARRAY)
      cuda::forgetArray(address);
    call.thread.freeing = ledger().sequenceAt(resource, address);
    return;
  }
  case GPUINSTR_OP_RESET_DEVICE:
    return beforeDeviceReset(call);
  }
}

GPUINSTR_HOT void MemoryObserver::after(const Call &call) {
  switch (call.operands.op) {
  case GPUINSTR_OP_ALLOC:
  case GPUINSTR_OP_CREATE:
    return noteAllocated(call);
  case GPUINSTR_OP_FREE:
  case GPUINSTR_OP_DESTROY:
    return noteFreed(call);
  case GPUINSTR_OP_RESET_DEVICE:
    return afterDeviceReset(call);
  case GPUINSTR_OP_GRAPH_NODE:
    // A free node: the graph frees the memory, whoever made it.
    if (call.result == 0 && call.operands.detail == cuda::NodeFrees)
      ledger().change(call.operands.slot(GPUINSTR_SLOT_SRC),
                      [](Allocation &a) { a.graphOwned = true; });
    return;
  case GPUINSTR_OP_CAPTURE_END:
    if (call.result == 0)
      noteCaptured(call.thread, resultOf(call.operands).address);
    return;
  }
}

// ---- Where they come again and again ----

bool beforeMade(ThreadState &, const gpuinstr_frame &) { return true; }

/// As noteAllocated(), of what isPlainMemory().
GPUINSTR_HOT void notePlain(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  BusyScope busy(thread);
  UncancelledScope uncancelled; // while the driver is asked
  thread.surroundings.asked = false;
  const uint64_t slot = frame.slot[GPUINSTR_SLOT_DST];
  Allocation a;
  if (!slot || !(a.address = *reinterpret_cast<const uint64_t *>(slot)))
    return; // of 0 bytes
  a.slot = slot;
  a.bytes = frame.slot[GPUINSTR_SLOT_BYTES];
  a.resource = frame.site->resource;
  a.site = thread.root.site;
  a.caller = thread.root.caller;
  guarded([&] {
    askForMemory(thread, a);
    ledger().add(a);
  });
}

/// As noteAllocated() and noteFreed(), of handles that the call stores at DST, or has there.
GPUINSTR_HOT void noteMade(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  BusyScope busy(thread);
  auto *place = reinterpret_cast<const uint64_t *>(frame.slot[GPUINSTR_SLOT_DST]);
  Allocation a;
  if (!place || !(a.address = *place))
    return;
  a.resource = frame.site->resource;
  a.site = thread.root.site;
  a.caller = thread.root.caller;
  a.device = int16_t(currentDevice());
  a.context = currentContext();
  guarded([&] { ledger().add(a); });
}

GPUINSTR_HOT bool beforeDestroyed(ThreadState &thread, const gpuinstr_frame &frame) {
  thread.freeing = ledger().sequenceAt(frame.site->resource, frame.slot[GPUINSTR_SLOT_DST]);
  return true;
}
GPUINSTR_HOT void noteDestroyed(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  BusyScope busy(thread);
  Freed by;
  by.site = thread.root.site;
  by.caller = thread.root.caller;
  const uint64_t handle = frame.slot[GPUINSTR_SLOT_DST];
  if (handle)
    guarded([&] { ledger().remove(frame.site->resource, handle, thread.freeing, by); });
}

GPUINSTR_HOT void noteCapturedShortly(ThreadState &thread, const gpuinstr_frame &frame,
                                      int32_t result) {
  BusyScope busy(thread);
  auto *place = reinterpret_cast<const uint64_t *>(slotOf(frame, GPUINSTR_SLOT_DST));
  if (result == 0 && place)
    guarded([&] { noteCaptured(thread, *place); });
}

GPUINSTR_HOT_DATA ShortLook Made = {beforeMade, noteMade},
                            Destroyed = {beforeDestroyed, noteDestroyed},
                            Plain = {beforeMade, notePlain},
                            Captured = {beforeMade, noteCapturedShortly};

const ShortLook *MemoryObserver::shortLook(const gpuinstr_site &site) const {
  if (isPlainMemory(site))
    return site.op == GPUINSTR_OP_ALLOC ? &Plain : &Destroyed;
  if (site.op == GPUINSTR_OP_GRAPH_NODE)
    return site.detail != cuda::NodeFrees ? &NoLook : nullptr;
  if (site.op == GPUINSTR_OP_CAPTURE_END)
    return &Captured;
  if (site.op == GPUINSTR_OP_DESTROY && site.resource == GPUINSTR_RES_GRAPH)
    return site.slots >> GPUINSTR_SLOT_DST & 1 && site.detail == 0 ? &Destroyed : nullptr;
  bool isEvent = site.resource == GPUINSTR_RES_EVENT && site.slots >> GPUINSTR_SLOT_DST & 1;
  if (!isEvent || site.detail != 0)
    return nullptr;
  return site.op == GPUINSTR_OP_CREATE    ? &Made
         : site.op == GPUINSTR_OP_DESTROY ? &Destroyed
                                          : nullptr;
}

} // namespace

void addMemoryObserver() {
  static MemoryObserver *observer = new MemoryObserver; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr
