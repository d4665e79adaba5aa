// What the device does for a call: kernel, copy, set or graph; of copies, from where to where.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/DeviceWorkKind.h"
#include "cuda/CallOperands.h"
#include "cuda/StructLayouts.h"

namespace gpuinstr::cuda {

CopyDirection spelledDirection(const Operation &o) {
  uint32_t f = o.flags;
  if (f & (GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC |
           GPUINSTR_SITE_HOST_SRC)) {
    bool toDevice = f & GPUINSTR_SITE_DEVICE_DST, fromDevice = f & GPUINSTR_SITE_DEVICE_SRC;
    bool toHost = f & GPUINSTR_SITE_HOST_DST, fromHost = f & GPUINSTR_SITE_HOST_SRC;
    if (toDevice && fromHost)
      return CopyDirection::HostToDevice;
    if (toHost && fromDevice)
      return CopyDirection::DeviceToHost;
    if (toDevice && fromDevice)
      return CopyDirection::DeviceToDevice;
  }
  uint64_t kind = 4; // cudaMemcpyDefault
  if (o.op == GPUINSTR_OP_COPY_3D) {
    if (o.detail == 0 && o.slot(GPUINSTR_SLOT_PARAMS))
      kind = uint64_t(reinterpret_cast<const Memcpy3DParms *>(o.slot(GPUINSTR_SLOT_PARAMS))->kind);
  } else if (o.frame->site->slots >> GPUINSTR_SLOT_KIND & 1) {
    kind = o.slot(GPUINSTR_SLOT_KIND);
  }
  return kind < 4 ? CopyDirection(kind + 1) : CopyDirection::Unknown; // cudaMemcpyKind + 1
}

} // namespace gpuinstr::cuda
