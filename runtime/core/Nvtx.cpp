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
