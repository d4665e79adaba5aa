// NVTX ranges: domain gpuinstr, one registered string per site.
// SPDX-License-Identifier: Apache-2.0
#include "nvtx/Nvtx.h"
#include "base/Part.h"

#if GPUINSTR_HAVE_NVTX
#include "base/Guard.h"
#include "base/system/Environment.h"
#include "calls/threads/DecodedOperands.h"
#include "calls/threads/Thread.h"
#include "nvtx/NvtxNames.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define GPUINSTR_HAVE_NVTX_PAYLOAD 1
#else
#include <nvtx3/nvToolsExt.h>
#endif
#endif

namespace gpuinstr {

#if GPUINSTR_HAVE_NVTX

namespace {
nvtxDomainHandle_t Domain;
bool SkippedCupti = false;

/// An attached program's ranges come to us: that is no tool that would show ours.
bool namesAttach() {
  const char *path = std::getenv("NVTX_INJECTION64_PATH");
  return path && std::strstr(path, "/libgpuinstr_attach.so");
}

/// Some images name CUPTI itself as the tool: the first NVTX call would then take the one CUPTI
/// subscription of the process, for nobody.
bool namesCupti() {
  const char *path = std::getenv("NVTX_INJECTION64_PATH");
  return path && std::strstr(path, "libcupti");
}

/// What a site's calls are called, made when the first one comes: a list that only grows.
struct Name {
  uint64_t variant;
  nvtxStringHandle_t text, file;
  Name *next;
};
constexpr unsigned MostVariants = 64;          ///< of a site
constexpr uint64_t OtherVariants = UINT64_MAX; ///< later kernels have one name together

/// nullptr: to be made. `variant` becomes OtherVariants where the site has too many.
const Name *findName(const Name *head, uint64_t &variant) {
  unsigned number = 0;
  const Name *others = nullptr;
  for (const Name *name = head; name; name = name->next, ++number) {
    if (name->variant == variant)
      return name;
    others = name->variant == OtherVariants ? name : others;
  }
  if (number >= MostVariants)
    variant = OtherVariants;
  return others;
}

const Name *makeName(SiteInfo &info, const cuda::CallOperands &operands, uint64_t variant) {
  auto *head = static_cast<Name *>(info.nvtxName.load(std::memory_order_acquire));
  const gpuinstr_site &site = *info.site.load(std::memory_order_acquire);
  std::string text = nvtxName(site, operands, variant == OtherVariants);
  auto *name = new Name{variant, nvtxDomainRegisterStringA(Domain, text.c_str()),
                        head ? head->file : nvtxDomainRegisterStringA(Domain, site.file), head};
  // Where another thread was faster there are two of one name, which is no harm.
  void *expected = head;
  while (!info.nvtxName.compare_exchange_weak(expected, name, std::memory_order_acq_rel))
    name->next = static_cast<Name *>(expected);
  return name;
}

/// nullptr: no memory.
const Name *nameOf(SiteIndex index, const cuda::CallOperands &operands) {
  SiteInfo *info = siteInfo(index);
  if (!info)
    return nullptr;
  uint64_t variant = nvtxVariant(operands);
  const Name *name =
      findName(static_cast<Name *>(info->nvtxName.load(std::memory_order_acquire)), variant);
  if (!name)
    guarded([&] { name = makeName(*info, operands, variant); });
  return name;
}

#if GPUINSTR_HAVE_NVTX_PAYLOAD

/// One struct for all; the schemas differ in what they show of it.
struct Payload {
  uint64_t bytes;
  nvtxStringHandle_t file;
  uint32_t line, direction;
};
/// 0: this tool reads no extended payloads, and gets the bytes as a plain number.
uint64_t CopySchema = 0, MemorySchema = 0, PlaceSchema = 0;

uint64_t registerSchema(const char *name, const nvtxPayloadSchemaEntry_t *entries, size_t number) {
  nvtxPayloadSchemaAttr_t schema = {};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = name;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = number;
  schema.payloadStaticSize = sizeof(Payload);
  return nvtxPayloadSchemaRegister(Domain, &schema);
}

uint64_t registerDirections() {
  nvtxPayloadEnum_t values[cuda::NumCopyDirections] = {};
  for (unsigned i = 0; i < cuda::NumCopyDirections; ++i)
    values[i] = {i ? cuda::directionName(cuda::CopyDirection(i)) : "by the pointers", i, 0};
  nvtxPayloadEnumAttr_t all = {};
  all.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
  all.name = "gpuinstr direction";
  all.entries = values;
  all.numEntries = cuda::NumCopyDirections;
  all.sizeOfEnum = sizeof(Payload::direction);
  return nvtxPayloadEnumRegister(Domain, &all);
}

void registerSchemas() {
  uint64_t direction = registerDirections();
  nvtxPayloadSchemaEntry_t entries[4] = {};
  auto set = [&](unsigned at, uint64_t type, const char *name, size_t offset) {
    entries[at].type = type;
    entries[at].name = name;
    entries[at].offset = offset;
  };
  set(0, direction ? direction : NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "direction",
      offsetof(Payload, direction));
  set(1, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", offsetof(Payload, bytes));
  set(2, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "file", offsetof(Payload, file));
  set(3, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "line", offsetof(Payload, line));
  CopySchema = registerSchema("gpuinstr copy", entries, 4);
  MemorySchema = registerSchema("gpuinstr memory", entries + 1, 3);
  PlaceSchema = registerSchema("gpuinstr place", entries + 2, 2);
}

#else
void registerSchemas() {}
#endif

} // namespace

namespace {
void nvtxPush(SiteIndex site, const gpuinstr_frame &frame);
} // namespace

void startNvtx() {
  static std::atomic<bool> started{false};
  // NVTX loads what a variable names.
  if (started.exchange(true) || !environmentIsTrusted() || namesAttach())
    return;
  if (namesCupti()) {
    SkippedCupti = true;
    return;
  }
  Domain = nvtxDomainCreateA("gpuinstr");
  if (!Domain)
    return;
  for (const NvtxKind *kind = nvtxKinds(); kind->category; ++kind)
    nvtxDomainNameCategoryA(Domain, kind->category, kind->name);
  registerSchemas();
  Hooks.pushRange = nvtxPush;
  Hooks.popRange = nvtxPop;
  NvtxActive = true;
  forgetAttributions();
}

static std::string nvtxNote() {
  return SkippedCupti ? "NVTX ranges are off: NVTX_INJECTION64_PATH names CUPTI" : "";
}

namespace {
/// A range with the site's name; payload: bytes; category: the operation's kind.
void nvtxPush(SiteIndex index, const gpuinstr_frame &frame) {
  BusyScope busy(*Self); // what the tool does here, and the strings, are not the program's
  const gpuinstr_site &site = *frame.site;
  const NvtxKind &kind = nvtxKind(site.op);
  const cuda::CallOperands &operands = operandsOf(*Self, frame);
  const Name *name = nameOf(index, operands);
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = kind.category;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = kind.colour;
  if (name) {
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = name->text;
  }
  if (operands.bytes) {
    attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    attributes.payload.ullValue = operands.bytes;
  }
#if GPUINSTR_HAVE_NVTX_PAYLOAD
  Payload payload = {};
  nvtxPayloadData_t data = {};
  if (const gpuinstr_site *charged = siteAt(index); charged && name && PlaceSchema) {
    bool copies = &kind == &nvtxKind(GPUINSTR_OP_COPY) && operands.bytes;
    bool told = copies && name->variant < cuda::NumCopyDirections;
    payload = {operands.bytes, name->file, charged->line, uint32_t(told ? name->variant : 0)};
    uint64_t schema = copies ? CopySchema : operands.bytes ? MemorySchema : PlaceSchema;
    NVTX_PAYLOAD_EVTATTR_SET_DATA(attributes, &data, schema, &payload, sizeof payload)
  }
#endif
  nvtxDomainRangePushEx(Domain, &attributes);
}
} // namespace

void nvtxPop() { nvtxDomainRangePop(Domain); }

void nvtxPushName(const char *name) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = nvtxUserKind().category;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = nvtxUserKind().colour;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(Domain, &attributes);
}

#else

void startNvtx() {}
static std::string nvtxNote() { return "NVTX ranges are off: built without nvtx3 headers"; }
void nvtxPop() {}
void nvtxPushName(const char *) {}

#endif

namespace {
class NvtxPart : public Part {
public:
  void notes(std::vector<std::string> &to, Ending) override {
    if (std::string note = nvtxNote(); !note.empty())
      to.push_back(std::move(note));
  }
};
} // namespace

Part &nvtxPart() {
  static Part *part = new NvtxPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
