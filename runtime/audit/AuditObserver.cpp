// The calls that the auditor looks at.
// SPDX-License-Identifier: Apache-2.0
#include "audit/Events.h"
#include "audit/Handles.h"
#include "audit/WatchGaps.h"
#include "audit/graphs/GraphCalls.h"
#include "audit/scheduling/CaptureTrust.h"
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "audit/state/Symbols.h"
#include "audit/state/ThreadAuditState.h"
#include "base/HotCode.h"
#include "calls/CaptureObserver.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "ledger/Ledger.h"
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace gpuinstr::audit {

namespace {

constexpr uint64_t Transfers = opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                               opBit(GPUINSTR_OP_COPY_3D) | opBit(GPUINSTR_OP_COPY_SYMBOL) |
                               opBit(GPUINSTR_OP_COPY_ARRAY) | opBit(GPUINSTR_OP_COPY_BATCH) |
                               opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) |
                               opBit(GPUINSTR_OP_SET_3D) | opBit(GPUINSTR_OP_PREFETCH);

/// Before the call as well; of an allocation there is nothing to look at then.
constexpr uint64_t Seen =
    Transfers | opBit(GPUINSTR_OP_FREE) | opBit(GPUINSTR_OP_CREATE) | opBit(GPUINSTR_OP_DESTROY) |
    opBit(GPUINSTR_OP_ADVISE) | opBit(GPUINSTR_OP_LIBRARY) | opBit(GPUINSTR_OP_GRAPH_LAUNCH) |
    opBit(GPUINSTR_OP_GRAPH_NODE) | opBit(GPUINSTR_OP_SYNC_DEVICE) |
    opBit(GPUINSTR_OP_SYNC_STREAM) | opBit(GPUINSTR_OP_SYNC_EVENT) | opBit(GPUINSTR_OP_QUERY) |
    opBit(GPUINSTR_OP_WAIT_EVENT) | opBit(GPUINSTR_OP_RECORD_EVENT) |
    opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END) |
    opBit(GPUINSTR_OP_HOST_FUNC) | opBit(GPUINSTR_OP_SET_DEVICE) | opBit(GPUINSTR_OP_RESET_DEVICE) |
    opBit(GPUINSTR_OP_EXPORT) | opBit(GPUINSTR_OP_ENTRY_POINT) | opBit(GPUINSTR_OP_OTHER);

constexpr unsigned Unloads = 1; // detail of OTHER: CudaApi.def

class AuditObserver final : public Observer {
public:
  AuditObserver() : Observer(Seen | opBit(GPUINSTR_OP_REGION), Seen | opBit(GPUINSTR_OP_ALLOC)) {}
  void before(const Call &call) override;
  void after(const Call &call) override;
  const ShortLook *shortLook(const gpuinstr_site &site) const override { return shortLookAt(site); }

private:
  /// Whether anything is looked at: the first call finds out.
  bool isActive() const;
};

bool isTransfer(unsigned op) { return Transfers >> op & 1; }
bool isSync(unsigned op) {
  return op == GPUINSTR_OP_SYNC_DEVICE || op == GPUINSTR_OP_SYNC_STREAM ||
         op == GPUINSTR_OP_SYNC_EVENT;
}

/// Descriptions of textures and surfaces hold the addresses that kernels will read and write.
void noteDescribed(Auditor &a, const cuda::CallOperands &o) {
  constexpr uint64_t DescriptorBytes = 64; // of cudaResourceDesc and CUDA_RESOURCE_DESC
  auto *descriptor = reinterpret_cast<const void *>(o.slot(GPUINSTR_SLOT_PARAMS));
  if (!descriptor)
    return;
  a.ranges.eachAddressIn(descriptor, DescriptorBytes, [](Range &range) {
    range.used.store(true);
    range.escaped.store(true);
    range.global.store(true);
  });
}

/// cudaGraphInstantiateParams, and the driver's struct, begin so.
struct InstantiateParams {
  uint64_t flags, uploadStream;
};

/// A graph may go to the device as it is instantiated, in a stream; and kernels may launch it,
/// which then reach what it was given. With the lock held.
void noteInstantiated(Auditor &a, const Call &call, uint64_t context) {
  constexpr uint64_t Uploads = 2, DeviceLaunch = 4; // cudaGraphInstantiateFlag...
  auto *params =
      reinterpret_cast<const InstantiateParams *>(call.operands.slot(GPUINSTR_SLOT_PARAMS));
  if (params && params->flags & Uploads)
    a.streams.put(a.streams.of(params->uploadStream, context, &call.thread));
  if ((params ? params->flags : call.operands.slot(GPUINSTR_SLOT_KIND)) & DeviceLaunch)
    a.graphs.kernelsLaunch();
}

void noteCreated(const Call &call) {
  constexpr uint64_t NonBlocking = 1; // cudaStreamNonBlocking, CU_STREAM_NON_BLOCKING
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  uint64_t handle = call.result == 0 ? resultOf(o).address : 0;
  if (!handle)
    return;
  uint64_t context = currentContext();
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (o.resource == GPUINSTR_RES_POOL)
    a.devicePool.store(0, std::memory_order_relaxed); // it may have the handle of one that is gone
  if (o.resource == GPUINSTR_RES_STREAM)
    a.streams.created(handle, context, o.slot(GPUINSTR_SLOT_KIND) & NonBlocking);
  if (o.resource == GPUINSTR_RES_GRAPH || o.resource == GPUINSTR_RES_GRAPH_EXEC)
    noteGraphCreated(a, o, handle);
  if (o.resource == GPUINSTR_RES_GRAPH_EXEC)
    noteInstantiated(a, call, context);
  if (o.resource == GPUINSTR_RES_TEXTURE || o.resource == GPUINSTR_RES_SURFACE)
    noteDescribed(a, o);
  if (o.resource == GPUINSTR_RES_SURFACE)
    Ranges::surfaces.store(true, std::memory_order_relaxed);
}

void noteDestroyed(const Call &call) {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (call.operands.resource == GPUINSTR_RES_GRAPH ||
      call.operands.resource == GPUINSTR_RES_GRAPH_EXEC)
    noteGraphDestroyed(a, call.operands);
  if (call.operands.resource == GPUINSTR_RES_STREAM)
    a.streams.destroyed(call.operands.dst.address);
  if (call.operands.resource == GPUINSTR_RES_EVENT)
    a.streams.eventGone(call.operands.dst.address);
}

void noteDevice(ThreadState &thread) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(thread);
  local.context = currentContext();
  thread.launches.forgetStreams();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.noteContext(local.context);
}

/// Of calls that export: another process, or another library of graphics, uses the memory as well.
bool sharesWithOthers(const gpuinstr_site &site) {
  for (const char *part : {"Ipc", "MemPool", "ExternalMemory", "Graphics", "Shareable"})
    if (site.callee && std::strstr(site.callee, part))
      return true;
  return false;
}

/// An address that leaves our sight: IPC, interoperation, the address of a variable.
void noteExported(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  uint64_t address = o.dst.address;
  if (call.result == 0 && sharesWithOthers(call.site))
    a.sharesMemory.store(true, std::memory_order_relaxed); // waits may be for them
  if (o.detail == 1) {                                     // the pointer that receives it
    if (call.result != 0 || !address)
      return;
    address = *reinterpret_cast<const uint64_t *>(address);
  }
  if (o.slot(GPUINSTR_SLOT_FUNC)) {
    ThreadAuditState &local = auditStateOf(call.thread);
    local.context = currentContext();
    return learnVariable(call, local.context, currentDevice());
  }
  if (std::strcmp(call.site.callee ? call.site.callee : "", "cudaGetSymbolAddress") == 0) {
    ThreadAuditState &local = auditStateOf(call.thread);
    local.context = currentContext();
    learnPlace(o.slot(GPUINSTR_SLOT_SRC), address, local.context, currentDevice());
  }
  std::lock_guard<AuditMutex> lock(a.mutex);
  const uint64_t symbol = o.detail == 1 ? o.slot(GPUINSTR_SLOT_SRC) : 0; // cudaGetSymbolAddress
  if (symbol && !a.ranges.find(symbol))
    Ranges::placesOfSymbols.store(true);
  if (Range *hidden = a.ranges.knownOpaque(symbol))
    hidden->exported.store(true);
  for (uint64_t candidate : {address, o.src.address, o.slot(GPUINSTR_SLOT_SRC)})
    if (Range *range = candidate ? a.ranges.find(candidate) : nullptr) {
      range->exported.store(true);
      range->used.store(true);
      range->escaped.store(true);
      range->global.store(true);
    }
}

bool isOnGiven(const gpuinstr_site &site) {
  constexpr uint32_t Given = 1u << GPUINSTR_SLOT_ARGS | 1u << GPUINSTR_SLOT_PARAMS;
  return (site.slots & Given) == Given;
}

/// A vendor library's call that puts kernels behind those that are there; as in HostCalls.cpp.
bool isLibrarysWork(const gpuinstr_site &site) {
  if (!isOnGiven(site) || site.resource || !site.callee)
    return false;
  for (const char *word :
       {"Create", "Destroy", "Set", "Get", "Plan", "Init", "Find", "Query", "Size", "Version"})
    if (std::strstr(site.callee, word))
      return false;
  return true;
}

/// Vendor libraries' kernels end, but for collectives, which wait for other processes. Those are
/// taken to be under way from then on: no hash goes in any more.
void noteLibrary(const Call &call) {
  if (isOnGiven(call.site) && !cuda::Captures.anyOpen())
    return noteWorkOnGiven(call);
  bool waits = call.site.callee && std::strncmp(call.site.callee, "nccl", 4) == 0;
  if (waits)
    auditor().collectives.store(true);
  noteUnknownWork(call.thread, 0, true, waits);
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  ++Streams::ForHost; // it may bring its results to the host by itself
}

/// A header-only library's call was given it: its kernels, which are seen, need not get it.
void noteGiven(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  const uint64_t words = o.slot(GPUINSTR_SLOT_PARAMS);
  if (!words)
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.ranges.eachAddressIn(reinterpret_cast<const void *>(o.slot(GPUINSTR_SLOT_ARGS)),
                         words * sizeof(uint64_t), [](Range &range) { range.used.store(true); });
}

/// Most are questions, between which nothing happens.
bool isHarmless(const cuda::CallOperands &o) {
  return o.detail != DoesAnything && !(o.flags & GPUINSTR_SITE_ASYNC);
}

/// It may read and write any memory, and change any graph. Of one that no row describes nobody
/// knows the stream either.
void noteAnything(const Call &call) {
  Auditor &a = auditor();
  if (cuda::Captures.anyOpen())
    noteCapturedUnknown(true);
  noteUnknownWork(call.thread, call.operands.stream, true);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (call.site.slots >> GPUINSTR_SLOT_STREAM & 1)
    return a.graphs.allChanged();
  noteAnythingAnywhere(a);
}

/// The stream waits for memory, or writes there, for the host, too.
void noteMemoryOperation(const Call &call) {
  Auditor &a = auditor();
  if (cuda::Captures.anyOpen())
    noteCapturedUnknown(true);
  noteUnknownWork(call.thread, call.operands.stream, false);
  std::lock_guard<AuditMutex> lock(a.mutex);
  ++Streams::ForHost;
  if (!call.operands.slot(GPUINSTR_SLOT_SRC))
    return;
  a.ranges.leaveUnscanned();
  Ranges::lostUpTo.store(Ranges::lastSerial());
}

void noteOther(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  if (o.detail == Unloads && call.result == 0)
    dropVariablesOf(o.dst.address);
  if (o.detail == DoesAnything || !(o.flags & GPUINSTR_SITE_ASYNC))
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.streams.put(a.streams.of(o.stream, auditStateOf(call.thread).context, &call.thread));
}

/// Advice on managed memory; an attachment to a stream takes effect when the stream gets there.
void noteAdvised(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (Range *range = a.ranges.find(o.dst.address))
    range->used.store(true);
  if (o.flags & GPUINSTR_SITE_ASYNC)
    a.streams.put(a.streams.of(o.stream, auditStateOf(call.thread).context, &call.thread));
}

/// Which context a reset ends; 0: its memory tells afterwards, as with beforeDeviceReset().
uint64_t resetContext(const Call &call) {
  if (call.operands.detail == 1)
    return call.operands.dst.address;
  return call.site.flags & GPUINSTR_SITE_DRIVER ? 0 : currentContext();
}

/// Contexts all of whose memory has gone; and 0, with which goes what was known of no one's.
std::vector<uint64_t> contextsGone(Auditor &a) {
  std::unordered_map<uint64_t, std::vector<uint64_t>> memory;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.ranges.each([&](Range &range) {
      if (range.context && range.resource == GPUINSTR_RES_DEVICE)
        memory[range.context].push_back(range.base);
    });
  }
  std::vector<uint64_t> gone{0};
  for (const auto &[context, addresses] : memory)
    if (std::all_of(addresses.begin(), addresses.end(),
                    [](uint64_t address) { return lifeAt(address) == gpuinstr::Life::Dead; }))
      gone.push_back(context);
  return gone;
}

void noteReset(const Call &call) {
  Auditor &a = auditor();
  const uint64_t context = auditStateOf(call.thread).context;
  if (call.failed)
    return;
  for (uint64_t gone : context ? std::vector<uint64_t>{context} : contextsGone(a)) {
    dropEngine(gone);
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.dropContext(gone);
  }
}

GPUINSTR_HOT bool AuditObserver::isActive() const {
  Auditor &a = auditor();
  if (__builtin_expect(!a.decided.load(std::memory_order_acquire), false)) {
    a.decide();
    if (!a.active)
      muteObserver(*this);
  }
  return a.active;
}

GPUINSTR_HOT void AuditObserver::before(const Call &call) {
  unsigned op = call.operands.op;
  if (!isActive() || (op == GPUINSTR_OP_OTHER && isHarmless(call.operands)))
    return;
  if (__builtin_expect(AuditHot.runIsOpen.load(std::memory_order_acquire), false))
    endRun();
  if (op == GPUINSTR_OP_REGION)
    return noteGiven(call);
  ThreadAuditState &local = auditStateOf(call.thread);
  const bool isWork = op == GPUINSTR_OP_LIBRARY && local.waitedQuietly && isLibrarysWork(call.site);
  if (__builtin_expect(local.waitedQuietly && !isWork, false) &&
      !leavesWait(op, call.operands.resource))
    settleQuietWait(call.thread, local,
                    isTransfer(op) && op != GPUINSTR_OP_PREFETCH
                        ? NextCall{frameOf(call), call.chargedSite, call.operands.stream}
                        : NextCall{frameOf(call)});
  if (op != GPUINSTR_OP_FREE && !isWork)
    endWait(local, op, call.operands.resource);
  if (__builtin_expect(CaptureTrust::isOn(), false) && judgesLaunches(call.operands))
    settleTrust(call.thread, call.operands.stream, op == GPUINSTR_OP_CAPTURE_END);
  if (isTransfer(op))
    return beforeTransfer(call);
  if (op == GPUINSTR_OP_ALLOC)
    local.row.noteAllocation(call.operands.resource);
  else if (op != GPUINSTR_OP_RECORD_EVENT)
    local.row.direction = CopyDirection::Unknown; // no row any more
  if (isSync(op))
    return beforeSync(call.thread, Awaited(call.operands));
  switch (op) {
  case GPUINSTR_OP_FREE:
    return beforeFree(call);
  case GPUINSTR_OP_QUERY:
    return beforeQuery(local);
  case GPUINSTR_OP_LIBRARY:
    if (cuda::Captures.anyOpen())
      noteCapturedUnknown(false);
    noteLibrary(call);
    if (isWork) {
      settleQuietWait(call.thread, local, {frameOf(call)});
      local.waitedAt = 0;
    }
    return;
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return beforeGraphLaunch(call, local);
  case GPUINSTR_OP_GRAPH_NODE:
    if (becomesGraph(call.operands) || call.operands.detail == cuda::EdgesAdded ||
        call.operands.detail == cuda::EdgesRemoved)
      return; // what it does is what that one does, as of one that is instantiated; or as before
    return noteHandedOn(call.thread, call.operands.stream);
  case GPUINSTR_OP_WAIT_EVENT:
    return call.operands.detail == 1 ? noteMemoryOperation(call) : void();
  case GPUINSTR_OP_OTHER:
    return call.operands.detail == DoesAnything ? noteAnything(call) : void();
  case GPUINSTR_OP_RESET_DEVICE:
    local.context = resetContext(call);
    std::lock_guard<AuditMutex> lock(auditor().mutex);
    auditor().poll();
    return;
  }
}

GPUINSTR_HOT void AuditObserver::after(const Call &call) {
  unsigned op = call.operands.op;
  if (!isActive())
    return;
  if (isTransfer(op))
    return afterTransfer(call);
  uint64_t ticks = ticksOf(call);
  if (isSync(op))
    return noteSynced(call, ticks);
  switch (op) {
  case GPUINSTR_OP_ALLOC:
    return noteAllocated(call, ticks);
  case GPUINSTR_OP_FREE:
    return noteFreed(call, ticks);
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return afterGraphLaunch(call, auditStateOf(call.thread));
  case GPUINSTR_OP_GRAPH_NODE:
    return call.failed ? noteNodeFailed(call) : noteNode(call);
  case GPUINSTR_OP_CAPTURE_BEGIN:
    return call.failed ? void()
                       : noteCaptureBegun(call.thread, call.operands.stream, call.operands.detail);
  case GPUINSTR_OP_CAPTURE_END:
    return noteCaptureEnded(call.thread, call.failed ? 0 : call.operands.slot(GPUINSTR_SLOT_DST));
  case GPUINSTR_OP_CREATE:
    noteCreated(call);
    return noteHandles(call, ticks);
  case GPUINSTR_OP_DESTROY:
    noteDestroyed(call);
    return noteHandles(call, ticks);
  case GPUINSTR_OP_LIBRARY:
    return noteHandles(call, ticks);
  case GPUINSTR_OP_QUERY:
    return noteQuery(call);
  case GPUINSTR_OP_EXPORT:
    return noteExported(call);
  case GPUINSTR_OP_RECORD_EVENT:
  case GPUINSTR_OP_WAIT_EVENT:
  case GPUINSTR_OP_HOST_FUNC:
    return noteStreamCall(call);
  case GPUINSTR_OP_SET_DEVICE:
    return noteDevice(call.thread);
  case GPUINSTR_OP_RESET_DEVICE:
    return noteReset(call);
  case GPUINSTR_OP_ADVISE:
    return noteAdvised(call);
  case GPUINSTR_OP_OTHER:
    return noteOther(call);
  }
}

} // namespace

void startAuditor() {
  static AuditObserver *observer = new AuditObserver; // leaked: used during exit
  watchCaptures();
  addObserver(*observer);
  OnLaunch = noteLaunch;
  LaunchHook.store(OnLaunch, std::memory_order_release); // until decide() knows better
  noteWatchGaps();
}

} // namespace gpuinstr::audit
