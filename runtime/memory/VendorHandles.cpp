// Handles of vendor libraries: cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER, cuDNN, NCCL.
// SPDX-License-Identifier: Apache-2.0
//
// Nobody can be asked which of them live, and libraries hand them on: what is left is a leak that
// is likely, never more.
#include "ledger/Ledger.h"
#include "memory/MemoryObserver.h"
#include <cstring>

namespace gpuinstr {

namespace {

enum Detail : unsigned { Creates = 1, Destroys = 2, CreatesSeveral = 3 };

class VendorHandleObserver : public Observer {
public:
  VendorHandleObserver() : Observer(opBit(GPUINSTR_OP_LIBRARY)) {}
  void before(const Call &call) override;
  void after(const Call &call) override;
};

/// cuFFT's are numbers, 0 among them: told from "none" by a bit above.
uint64_t numbered(uint64_t handle) { return uint64_t(1) << 32 | uint32_t(handle); }

uint64_t readAt(uint64_t place, unsigned resource) {
  uint64_t handle = 0;
  if (resource == GPUINSTR_RES_CUFFT)
    std::memcpy(&handle, reinterpret_cast<const void *>(place), sizeof(uint32_t));
  else
    std::memcpy(&handle, reinterpret_cast<const void *>(place), sizeof handle);
  return handle;
}

/// Between ncclGroupStart and ncclGroupEnd a communicator may be stored later: what stood there
/// before is none.
bool mayComeLater(unsigned resource) { return resource == GPUINSTR_RES_NCCL; }

void noteCreated(const Call &call, uint64_t place) {
  unsigned resource = call.operands.resource;
  uint64_t handle = place ? readAt(place, resource) : 0;
  Allocation a;
  a.resource = uint16_t(resource);
  a.site = call.chargedSite;
  a.caller = call.caller;
  if (resource == GPUINSTR_RES_CUFFT) {
    a.address = numbered(handle);
    a.storedAt = place;
  } else {
    a.address = handle;
  }
  if (a.address && place)
    ledger().add(a);
}

/// Whatever the library answers: it was told to.
void noteDestroyed(const Call &call) {
  unsigned resource = call.operands.resource;
  uint64_t handle = call.operands.dst.address;
  if (resource == GPUINSTR_RES_CUFFT)
    handle = numbered(handle);
  auto live = ledger().findHandle(resource, handle);
  if (!live)
    return;
  Freed by;
  by.site = call.chargedSite;
  by.caller = call.caller;
  ledger().remove(resource, handle, live->sequence, by);
}

void VendorHandleObserver::before(const Call &call) {
  const cuda::CallOperands &o = call.operands;
  if (o.detail == Creates && mayComeLater(o.resource) && o.dst.address)
    call.thread.freeing = readAt(o.dst.address, o.resource);
}

void VendorHandleObserver::after(const Call &call) {
  const cuda::CallOperands &o = call.operands;
  if (!isVendorHandle(o.resource))
    return;
  if (o.detail == Destroys)
    return noteDestroyed(call);
  if (call.result != 0 || !o.dst.address)
    return;
  if (o.detail == Creates &&
      !(mayComeLater(o.resource) && call.thread.freeing == readAt(o.dst.address, o.resource)))
    noteCreated(call, o.dst.address);
  for (uint64_t i = 0; o.detail == CreatesSeveral && i < o.slot(GPUINSTR_SLOT_BYTES); ++i)
    noteCreated(call, o.dst.address + i * sizeof(uint64_t));
}

} // namespace

void addVendorHandleObserver() {
  static VendorHandleObserver *observer = new VendorHandleObserver; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr
