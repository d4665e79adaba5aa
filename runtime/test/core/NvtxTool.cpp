// A tool that NVTX loads by NVTX_INJECTION64_PATH: prints what it is told, one line each.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <nvtx3/nvToolsExt.h>
#include <set>
#include <string>

namespace {

struct Domain {
  std::string name;
};

nvtxDomainHandle_t create(const char *name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Domain{name});
}
nvtxStringHandle_t registerString(nvtxDomainHandle_t, const char *text) {
  std::printf("string %s\n", text);
  return reinterpret_cast<nvtxStringHandle_t>(new std::string(text));
}
int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
  const char *text = a->messageType == NVTX_MESSAGE_TYPE_REGISTERED
                         ? reinterpret_cast<const std::string *>(a->message.registered)->c_str()
                         : a->message.ascii;
  std::printf("push %s|%s|%llu|%06x|%u\n", reinterpret_cast<Domain *>(domain)->name.c_str(), text,
              static_cast<unsigned long long>(a->payload.ullValue),
              a->colorType == NVTX_COLOR_ARGB ? a->color & 0xffffff : 0u, a->category);
  return 0;
}
int pop(nvtxDomainHandle_t) {
  std::printf("pop\n");
  return 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) {
  auto *callbacks =
      static_cast<const NvtxExportTableCallbacks *>(getExportTable(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
    return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create);
  *table[NVTX_CBID_CORE2_DomainRegisterStringA] =
      reinterpret_cast<NvtxFunctionPointer>(registerString);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
