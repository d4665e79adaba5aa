// A tool that NVTX loads by NVTX_INJECTION64_PATH: it makes handles and numbers, and ends the
// program when it is handed one that it did not make.
// SPDX-License-Identifier: Apache-2.0
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

namespace {

std::set<std::string *> Strings;
std::set<nvtxRangeId_t> Ranges;
nvtxRangeId_t LastRange = 0;

void refuse(const char *what) {
  std::printf("the tool got a foreign %s\n", what);
  std::fflush(stdout);
  std::abort();
}

nvtxDomainHandle_t create(const char *name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new std::string(name));
}
nvtxStringHandle_t registerString(nvtxDomainHandle_t, const char *text) {
  return reinterpret_cast<nvtxStringHandle_t>(*Strings.insert(new std::string(text)).first);
}
void check(const nvtxEventAttributes_t *a) {
  if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED &&
      !Strings.count(reinterpret_cast<std::string *>(a->message.registered)))
    refuse("string");
}
int push(nvtxDomainHandle_t, const nvtxEventAttributes_t *a) {
  check(a);
  return 0;
}
nvtxRangeId_t start(nvtxDomainHandle_t, const nvtxEventAttributes_t *a) {
  check(a);
  return *Ranges.insert(++LastRange).first;
}
void end(nvtxDomainHandle_t, nvtxRangeId_t id) {
  if (!Ranges.erase(id))
    refuse("range");
}
nvtxRangeId_t startText(const char *) { return *Ranges.insert(++LastRange).first; }
void endText(nvtxRangeId_t id) { end(nullptr, id); }

template <class F> void set(NvtxFunctionTable table, unsigned slot, F *function) {
  *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) {
  auto *callbacks =
      static_cast<const NvtxExportTableCallbacks *>(getExportTable(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable core = nullptr, core2 = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size) ||
      !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2, &size))
    return 0;
  set(core, NVTX_CBID_CORE_RangeStartA, startText);
  set(core, NVTX_CBID_CORE_RangeEnd, endText);
  set(core2, NVTX_CBID_CORE2_DomainCreateA, create);
  set(core2, NVTX_CBID_CORE2_DomainRegisterStringA, registerString);
  set(core2, NVTX_CBID_CORE2_DomainRangePushEx, push);
  set(core2, NVTX_CBID_CORE2_DomainRangeStartEx, start);
  set(core2, NVTX_CBID_CORE2_DomainRangeEnd, end);
  return 1;
}
