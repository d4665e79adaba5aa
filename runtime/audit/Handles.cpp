// What is made and ended again without an address of its own.
// SPDX-License-Identifier: Apache-2.0
#include "audit/Handles.h"
#include "audit/state/Auditor.h"
#include "audit/state/ThreadAuditState.h"
#include <cstring>

namespace gpuinstr::audit {

namespace {

enum Detail : unsigned { Creates = 1, Destroys = 2 }; // of LIBRARY: VendorApi.def

/// To make one takes as long as some copies. An event takes half a microsecond.
bool isDear(unsigned resource) {
  return resource == GPUINSTR_RES_STREAM || resource == GPUINSTR_RES_GRAPH_EXEC ||
         (resource >= GPUINSTR_RES_CUBLAS && resource <= GPUINSTR_RES_CUDNN);
}

/// cuFFT's are numbers of 32 bits, 0 among them.
uint64_t handleAt(uint64_t place, unsigned resource) {
  uint64_t handle = 0;
  std::memcpy(&handle, reinterpret_cast<const void *>(place),
              resource == GPUINSTR_RES_CUFFT ? sizeof(uint32_t) : sizeof handle);
  return handle;
}

} // namespace

void noteHandleMade(const Call &call, uint64_t handle, uint64_t ticks) {
  ThreadState &thread = call.thread;
  if (thread.paused)
    return;
  Range place; // nobody has its address
  place.resource = call.operands.resource;
  place.context = surroundingsOf(thread).context;
  place.site = thread.root.site;
  place.caller = thread.root.caller;
  place.bytesAsked = call.operands.op == GPUINSTR_OP_ALLOC ? call.operands.bytes : 0;
  place.allocTicks = ticks;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.advice.handleMade(handle, place, thread);
}

void noteHandleGone(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.advice.handleGone(call.operands.resource, call.operands.dst.address, call.chargedSite, ticks);
}

void noteHandles(const Call &call, uint64_t ticks) {
  const cuda::CallOperands &o = call.operands;
  if (!isDear(o.resource) || call.result != 0)
    return;
  const bool isLibrary = o.op == GPUINSTR_OP_LIBRARY;
  if (isLibrary ? o.detail == Destroys : o.op == GPUINSTR_OP_DESTROY)
    noteHandleGone(call, ticks);
  else if (o.dst.address && (isLibrary ? o.detail == Creates : o.op == GPUINSTR_OP_CREATE))
    noteHandleMade(call, handleAt(o.dst.address, o.resource), ticks);
}

} // namespace gpuinstr::audit
