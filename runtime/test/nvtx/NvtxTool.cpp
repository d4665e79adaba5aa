// A tool that NVTX loads by NVTX_INJECTION64_PATH: prints what it is told, one line each.
// SPDX-License-Identifier: Apache-2.0
//
// With NVTX_TEST_PLAIN set it reads no extended payloads, as older tools.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nvtx3/nvToolsExtPayload.h>
#include <string>
#include <vector>

namespace {

struct Domain {
  std::string name;
};
struct Entry {
  uint64_t type, offset;
  std::string name;
};

std::map<uint32_t, std::string> Categories;
std::map<uint64_t, std::vector<Entry>> Schemas;
std::map<uint64_t, std::map<uint64_t, std::string>> Enums;
uint64_t NextId = NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START;

nvtxDomainHandle_t create(const char *name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new Domain{name});
}
void nameCategory(nvtxDomainHandle_t, uint32_t category, const char *name) {
  Categories[category] = name;
}
nvtxStringHandle_t registerString(nvtxDomainHandle_t, const char *text) {
  std::printf("string %s\n", text);
  return reinterpret_cast<nvtxStringHandle_t>(new std::string(text));
}

uint64_t registerSchema(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t *schema) {
  std::vector<Entry> &entries = Schemas[++NextId];
  for (size_t i = 0; i < schema->numEntries; ++i)
    entries.push_back(
        {schema->entries[i].type, schema->entries[i].offset, schema->entries[i].name});
  return NextId;
}
uint64_t registerEnum(nvtxDomainHandle_t, const nvtxPayloadEnumAttr_t *all) {
  std::map<uint64_t, std::string> &values = Enums[++NextId];
  for (size_t i = 0; i < all->numEntries; ++i)
    values[all->entries[i].value] = all->entries[i].name;
  return NextId;
}

std::string valueText(const Entry &entry, const char *at) {
  uint64_t wide;
  uint32_t narrow;
  std::memcpy(&narrow, at, sizeof narrow);
  auto known = Enums.find(entry.type);
  if (known != Enums.end())
    return known->second.at(narrow);
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_UINT32)
    return std::to_string(narrow);
  std::memcpy(&wide, at, sizeof wide);
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE)
    return *reinterpret_cast<const std::string *>(wide);
  return std::to_string(wide);
}

std::string payloadText(const nvtxEventAttributes_t &a) {
  if (a.payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64)
    return std::to_string(a.payload.ullValue);
  if (a.payloadType != NVTX_PAYLOAD_TYPE_EXT)
    return "-";
  auto *data = reinterpret_cast<const nvtxPayloadData_t *>(a.payload.ullValue);
  std::string text;
  for (const Entry &entry : Schemas.at(data->schemaId))
    if (entry.offset + 4 <= data->size)
      text += (text.empty() ? "" : " ") + entry.name + "=" +
              valueText(entry, static_cast<const char *>(data->payload) + entry.offset);
  return text;
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
  const char *text = a->messageType == NVTX_MESSAGE_TYPE_REGISTERED
                         ? reinterpret_cast<const std::string *>(a->message.registered)->c_str()
                         : a->message.ascii;
  std::printf("push %s|%s|%s|%06x|%s\n", reinterpret_cast<Domain *>(domain)->name.c_str(), text,
              payloadText(*a).c_str(), a->colorType == NVTX_COLOR_ARGB ? a->color & 0xffffff : 0u,
              Categories[a->category].c_str());
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
  *table[NVTX_CBID_CORE2_DomainNameCategoryA] = reinterpret_cast<NvtxFunctionPointer>(nameCategory);
  *table[NVTX_CBID_CORE2_DomainRegisterStringA] =
      reinterpret_cast<NvtxFunctionPointer>(registerString);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module) {
  if (std::getenv("NVTX_TEST_PLAIN") || module->moduleId != NVTX_EXT_PAYLOAD_MODULEID)
    return 0;
  intptr_t *slots = module->segments[0].functionSlots;
  slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = reinterpret_cast<intptr_t>(registerSchema);
  slots[NVTX3EXT_CBID_nvtxPayloadEnumRegister] = reinterpret_cast<intptr_t>(registerEnum);
  return 1;
}
