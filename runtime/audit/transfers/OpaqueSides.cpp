// Sides of copies that are no allocation of ours: arrays, hidden variables, mapped memory.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/Symbols.h"
#include "audit/transfers/Occurrences.h"
#include "ledger/Ledger.h"

namespace gpuinstr::audit {

Range *opaqueTarget(Auditor &a, const cuda::CallOperands &o, uint64_t context, bool symbolUnknown,
                    const Range *src) {
  const bool isSet = o.op >= GPUINSTR_OP_SET && o.op <= GPUINSTR_OP_SET_3D;
  if (o.op == GPUINSTR_OP_PREFETCH || isSet)
    return nullptr;
  if (o.op == GPUINSTR_OP_COPY_SYMBOL)
    return symbolUnknown && o.detail != 1 && isHiddenSymbol(o, context)
               ? a.ranges.opaque(o.slot(GPUINSTR_SLOT_DST), context)
               : nullptr;
  if (o.dst.array)
    return a.ranges.opaque(o.dst.array, context);
  bool isSaid = o.direction == CopyDirection::HostToDevice;
  bool fromHost = !src || (isSaid && !src->isDevice()); // pinned
  bool toDevice = (o.flags & GPUINSTR_SITE_DEVICE_DST) || isSaid;
  return toDevice && o.dst.address && fromHost ? a.ranges.opaque(o.dst.address, context) : nullptr;
}

Range *mappedSource(Auditor &a, const cuda::CallOperands &o, uint64_t context) {
  if (o.op != GPUINSTR_OP_COPY || o.direction != CopyDirection::DeviceToHost || !o.src.address)
    return nullptr;
  auto found = ledger().find(o.src.address);
  bool isMapped = found && found->resource == GPUINSTR_RES_MAPPING;
  constexpr size_t Most = 2048; // uploads come first
  bool hasRoom = a.ranges.opaqueCount() < Most || a.ranges.knownOpaque(o.src.address);
  return isMapped && hasRoom ? a.ranges.opaque(o.src.address, context) : nullptr;
}

} // namespace gpuinstr::audit
