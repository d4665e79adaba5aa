// Names that the profile uses for operations, resources and findings.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Kinds.h"

namespace gpuinstr::profile {

std::string_view kindName(unsigned op) {
  switch (op) {
  case GPUINSTR_OP_CALLER:
    return "caller";
  case GPUINSTR_OP_REGION:
    return "region";
  case GPUINSTR_OP_LIBRARY:
    return "library";
  case GPUINSTR_OP_ALLOC:
    return "alloc";
  case GPUINSTR_OP_FREE:
    return "free";
  case GPUINSTR_OP_CREATE:
    return "create";
  case GPUINSTR_OP_DESTROY:
    return "destroy";
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_3D:
  case GPUINSTR_OP_COPY_SYMBOL:
  case GPUINSTR_OP_COPY_ARRAY:
  case GPUINSTR_OP_COPY_BATCH:
    return "copy";
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return "set";
  case GPUINSTR_OP_PREFETCH:
    return "prefetch";
  case GPUINSTR_OP_LAUNCH:
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return "launch";
  case GPUINSTR_OP_SYNC_DEVICE:
  case GPUINSTR_OP_SYNC_STREAM:
  case GPUINSTR_OP_SYNC_EVENT:
    return "sync";
  case GPUINSTR_OP_QUERY:
    return "query";
  case GPUINSTR_OP_WAIT_EVENT:
  case GPUINSTR_OP_RECORD_EVENT:
    return "event";
  case GPUINSTR_OP_GET_ERROR:
  case GPUINSTR_OP_PEEK_ERROR:
    return "error";
  case GPUINSTR_OP_CAPTURE_BEGIN:
  case GPUINSTR_OP_CAPTURE_END:
  case GPUINSTR_OP_GRAPH_NODE:
    return "graph";
  default:
    return "other";
  }
}

bool asksOfDevice(std::string_view kind) {
  return kind == "launch" || kind == "copy" || kind == "set" || kind == "library";
}

std::string_view resourceName(unsigned resource) {
  static constexpr std::string_view Names[] = {
      "",           "device",  "async",      "pitched", "array", "mipmapped",
      "managed",    "pinned",  "registered", "stream",  "event", "graph",
      "graph-exec", "texture", "surface",    "pool",    "vmm",   "mapping"};
  static_assert(sizeof(Names) / sizeof(Names[0]) == GPUINSTR_RES_COUNT_);
  return resource < GPUINSTR_RES_COUNT_ ? Names[resource] : std::string_view();
}

static constexpr FindingKind Kinds[] = {
#define FINDING(id, cls, plural) {id, plural, FindingClass::cls, __COUNTER__},
#include "profile/Findings.def"
    {"", "", FindingClass::Unknown, __COUNTER__},
};

const FindingKind *findingKinds() { return Kinds; }

const FindingKind &findingKind(std::string_view id) {
  const FindingKind *kind = Kinds;
  while (!kind->id.empty() && kind->id != id)
    ++kind;
  return *kind;
}

bool isFindingId(std::string_view id) { return !findingKind(id).id.empty(); }

} // namespace gpuinstr::profile
