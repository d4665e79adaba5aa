// NVTX ranges: domain gpuinstr, one registered string per site.
// SPDX-License-Identifier: Apache-2.0
#include "core/Nvtx.h"

#if GPUINSTR_HAVE_NVTX
#include "core/Operation.h"
#include "core/Thread.h"
#include "profile/Kinds.h"
#include <cstdlib>
#include <cstring>
#include <nvtx3/nvToolsExt.h>
#endif

namespace gpuinstr::core {

bool NvtxActive = false;

#if GPUINSTR_HAVE_NVTX

namespace {
nvtxDomainHandle_t Domain;
bool SkippedCupti = false;

/// Some images name CUPTI itself as the tool: the first NVTX call would then take the one CUPTI
/// subscription of the process, for nobody.
bool namesCupti() {
  const char *path = std::getenv("NVTX_INJECTION64_PATH");
  return path && std::strstr(path, "libcupti");
}

/// By what the call does, so that a timeline can be read from afar.
uint32_t colourOf(unsigned op) {
  switch (op) {
  case GPUINSTR_OP_LAUNCH:
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return 0xff4caf50; // green: work on the device
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_3D:
  case GPUINSTR_OP_COPY_SYMBOL:
  case GPUINSTR_OP_COPY_ARRAY:
  case GPUINSTR_OP_COPY_BATCH:
  case GPUINSTR_OP_PREFETCH:
    return 0xff2196f3; // blue: bytes that move
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return 0xff00bcd4; // light blue
  case GPUINSTR_OP_ALLOC:
  case GPUINSTR_OP_FREE:
    return 0xffff9800; // orange: memory
  case GPUINSTR_OP_SYNC_DEVICE:
  case GPUINSTR_OP_SYNC_STREAM:
  case GPUINSTR_OP_SYNC_EVENT:
    return 0xfff44336; // red: the host waits
  default:
    return 0xff9e9e9e; // grey
  }
}

/// Place and callee, as a timeline should show them: saxpy<float> train.cu:133.
nvtxStringHandle_t nameOf(SiteIndex index) {
  SiteInfo *info = siteInfo(index);
  if (!info)
    return nullptr;
  void *known = info->nvtxName.load(std::memory_order_acquire);
  if (known)
    return static_cast<nvtxStringHandle_t>(known);
  const gpuinstr_site *site = info->site.load(std::memory_order_acquire);
  const char *slash = std::strrchr(site->file, '/');
  std::string name = std::string(site->callee) + " " + (slash ? slash + 1 : site->file) + ":" +
                     std::to_string(site->line);
  nvtxStringHandle_t handle = nvtxDomainRegisterStringA(Domain, name.c_str());
  info->nvtxName.store(handle, std::memory_order_release);
  return handle;
}
} // namespace

void startNvtx() {
  if (namesCupti()) {
    SkippedCupti = true;
    return;
  }
  Domain = nvtxDomainCreateA("gpuinstr");
  if (!Domain)
    return;
  for (unsigned op = 0; op < GPUINSTR_OP_COUNT_; ++op)
    nvtxDomainNameCategoryA(Domain, op + 1, std::string(profile::kindName(op)).c_str());
  NvtxActive = true;
  forgetCharges();
}

std::string nvtxNote() {
  return SkippedCupti ? "NVTX ranges are off: NVTX_INJECTION64_PATH names CUPTI" : "";
}

void nvtxPush(SiteIndex index, const gpuinstr_frame &frame) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = frame.site->op + 1u;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = colourOf(frame.site->op);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = frame.site->slots ? decode(frame).bytes : 0;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nameOf(index);
  nvtxDomainRangePushEx(Domain, &attributes);
}

void nvtxPop() { nvtxDomainRangePop(Domain); }

void nvtxPushName(const char *name) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(Domain, &attributes);
}

#else

void startNvtx() {}
std::string nvtxNote() { return "NVTX ranges are off: built without nvtx3 headers"; }
void nvtxPush(SiteIndex, const gpuinstr_frame &) {}
void nvtxPop() {}
void nvtxPushName(const char *) {}

#endif

} // namespace gpuinstr::core
