// Sides of copies: which way they go, and those that no allocation of ours is: arrays, hidden
// variables, mapped memory.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/Symbols.h"
#include "audit/transfers/Occurrences.h"
#include "base/Hash.h"
#include "ledger/Ledger.h"

namespace gpuinstr::audit {

bool isSet(unsigned op) {
  return op == GPUINSTR_OP_SET || op == GPUINSTR_OP_SET_2D || op == GPUINSTR_OP_SET_3D;
}

bool isOntoItself(const cuda::CallOperands &o) {
  return o.op == GPUINSTR_OP_COPY && o.dst.address && o.dst.address == o.src.address;
}

uint64_t shapeOf(const cuda::Region &r) {
  uint64_t shape = hashMix(r.width, r.rows > 1 ? r.pitch : 0);
  return hashMix(shape, r.slices > 1 ? r.slicePitch : 0);
}

bool hasKeys(const Range &range, const Transfer &t, const cuda::CallOperands &o) {
  constexpr uint64_t Most = 1 << 20;
  return range.isDevice() || (t.work == DeviceWorkKind::Set && !(o.flags & GPUINSTR_SITE_ASYNC) &&
                              o.bytes <= Most && isPinned(range));
}

bool isPinned(const Range &range) {
  return range.resource == GPUINSTR_RES_PINNED && !range.unreadable;
}

/// By where the memory lies; where that is not known, as spelled.
CopyDirection directionOf(const cuda::CallOperands &o, const Range *dst, const Range *src) {
  if (isSet(o.op))
    return CopyDirection::Unknown;
  bool hasKind = o.op == GPUINSTR_OP_COPY || o.op == GPUINSTR_OP_COPY_2D;
  CopyDirection spelled = hasKind ? o.direction : CopyDirection::Unknown;
  bool spelledDeviceOnly = spelled == CopyDirection::DeviceToDevice;
  bool toDevice = dst ? dst->isDevice() : (o.flags & GPUINSTR_SITE_DEVICE_DST) || o.dst.array;
  bool fromDevice = src ? src->isDevice() : (o.flags & GPUINSTR_SITE_DEVICE_SRC) || o.src.array;
  if (o.op == GPUINSTR_OP_COPY_SYMBOL)
    (o.detail == 1 ? fromDevice : toDevice) = true;
  toDevice |= !dst && (spelledDeviceOnly || spelled == CopyDirection::HostToDevice);
  fromDevice |= !src && (spelledDeviceOnly || spelled == CopyDirection::DeviceToHost);
  if (toDevice)
    return fromDevice ? CopyDirection::DeviceToDevice : CopyDirection::HostToDevice;
  return fromDevice ? CopyDirection::DeviceToHost : CopyDirection::Unknown;
}

bool isForHost(const cuda::CallOperands &o, CopyDirection found, const Range *dst,
               const Range *src) {
  auto isShared = [](const Range *range) { return range && range->hostCanTouch(); };
  return isWithHost(found) || (o.op != GPUINSTR_OP_PREFETCH && (isShared(dst) || isShared(src)));
}

bool mayBeStaged(const cuda::CallOperands &o, const Transfer &t, const Range *dst,
                 const Range *src) {
  if (t.direction != CopyDirection::HostToDevice || src)
    return false;
  // Of asynchronous ones the plainest: what drivers do, not what CUDA promises, says it of them.
  return t.waits || (o.op == GPUINSTR_OP_COPY && dst && !dst->opaque && !dst->hostCanTouch());
}

bool isOfHost(const cuda::CallOperands &o, CopyDirection found, const Range *dst,
              const Range *src) {
  auto isSaid = [&](CopyDirection one) {
    return o.direction == one || o.direction == CopyDirection::HostToHost;
  };
  return found == CopyDirection::Unknown && !isSet(o.op) &&
         (src || isSaid(CopyDirection::HostToDevice)) &&
         (dst || isSaid(CopyDirection::DeviceToHost));
}

bool isOfHostByDefault(ThreadAuditState &local, const cuda::CallOperands &o) {
  auto isOfHosts = [&](const cuda::Region &side) {
    return side.address && !side.array && hostReadable(local, side.address);
  };
  return o.direction == CopyDirection::Unknown && o.op != GPUINSTR_OP_COPY_SYMBOL &&
         o.op != GPUINSTR_OP_PREFETCH && isOfHosts(o.dst) && isOfHosts(o.src);
}

Range *hiddenVariable(const cuda::CallOperands &o, Range *opaque) {
  if (opaque && !opaque->variable) {
    opaque->variable = true;
    opaque->constant = isReadOnlySymbol(o);
  }
  return opaque;
}

Range *opaqueTarget(Auditor &a, const cuda::CallOperands &o, uint64_t context, bool symbolUnknown,
                    const Range *src) {
  if (o.op == GPUINSTR_OP_PREFETCH || isSet(o.op))
    return nullptr;
  if (o.op == GPUINSTR_OP_COPY_SYMBOL)
    return symbolUnknown && o.detail != 1 && isHiddenSymbol(o, context)
               ? hiddenVariable(o, a.ranges.opaque(o.slot(GPUINSTR_SLOT_DST), context))
               : nullptr;
  if (o.dst.array)
    return a.ranges.opaque(o.dst.array, context);
  bool isSaid = o.direction == CopyDirection::HostToDevice;
  bool fromHost = !src || (isSaid && !src->isDevice()); // pinned
  bool toDevice = (o.flags & GPUINSTR_SITE_DEVICE_DST) || isSaid;
  return toDevice && o.dst.address && fromHost ? a.ranges.opaque(o.dst.address, context) : nullptr;
}

namespace {

bool goesToVariable(const cuda::CallOperands &o, const Range *dst) {
  if (o.op == GPUINSTR_OP_COPY_SYMBOL)
    return o.detail != 1;
  if (dst && !dst->opaque)
    return dst->variable;
  return !o.dst.array && o.dst.address && Ranges::placesOfSymbols.load();
}

} // namespace

void notePossibleHalf(Auditor &a, const Transfer &t, const cuda::Region &to, uint64_t value) {
  constexpr unsigned HalfBits = 32;
  const bool isPlace = to.width < sizeof(uint64_t) && to.address % sizeof(uint64_t) == HalfBits / 8;
  if (!isPlace || !value || value < Ranges::lowest.load() >> HalfBits ||
      value > Ranges::highest.load() >> HalfBits)
    return;
  a.ranges.leaveUnscanned();
  if (t.toVariable)
    Ranges::lostUpTo.store(Ranges::lastSerial());
}

void leaveUnsearched(Auditor &a, const cuda::CallOperands &o, const Transfer &t, Range *dst) {
  a.ranges.leaveUnscanned(dst);
  if (o.bytes >= sizeof(uint64_t) && t.toVariable)
    Ranges::lostUpTo.store(Ranges::lastSerial());
}

void noteMovedAddresses(Auditor &a, const cuda::CallOperands &o, Transfer &t, Range *dst,
                        const Range *src) {
  t.toVariable = goesToVariable(o, dst);
  if (t.work == DeviceWorkKind::Set)
    notePossibleHalf(a, t, o.dst, o.slot(GPUINSTR_SLOT_KIND));
  const bool isOfDevice = src && src->isDevice() && !src->hostCanTouch();
  const bool mayBeToDevice = t.direction == CopyDirection::Unknown
                                 ? t.unhashed // no kind says it
                                 : t.direction != CopyDirection::DeviceToHost;
  if (t.work != DeviceWorkKind::Copy || !mayBeToDevice)
    return;
  if (isOfDevice) {
    if (t.toVariable)
      Ranges::fillVariables();
    if (src->holds)
      a.ranges.noteHolder(t.toVariable || !dst || dst->opaque ? nullptr : dst);
  } else if (t.unhashed || (src && t.direction == CopyDirection::DeviceToDevice)) {
    leaveUnsearched(a, o, t, dst);
  }
}

Range *opaqueSource(Auditor &a, const cuda::CallOperands &o, uint64_t context, bool symbolUnknown) {
  constexpr size_t Most = 2048; // uploads come first
  auto place = [&](uint64_t handle) {
    const bool hasRoom = a.ranges.opaqueCount() < Most || a.ranges.knownOpaque(handle);
    return hasRoom ? a.ranges.opaque(handle, context) : nullptr;
  };
  if (o.op == GPUINSTR_OP_COPY_SYMBOL)
    return symbolUnknown && o.detail == 1 && isHiddenSymbol(o, context)
               ? hiddenVariable(o, place(o.slot(GPUINSTR_SLOT_SRC)))
               : nullptr;
  if (o.op != GPUINSTR_OP_COPY || o.direction != CopyDirection::DeviceToHost || !o.src.address)
    return nullptr;
  auto found = ledger().find(o.src.address);
  return found && found->resource == GPUINSTR_RES_MAPPING ? place(o.src.address) : nullptr;
}

} // namespace gpuinstr::audit
