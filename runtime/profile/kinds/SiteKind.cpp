// What a site does, and what it allocates.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kinds/SiteKind.h"
#include "gpuinstr/abi.h"

namespace gpuinstr::profile {

SiteKind siteKindOf(unsigned op) {
  switch (op) {
  case GPUINSTR_OP_CALLER:
    return SiteKind::Caller;
  case GPUINSTR_OP_REGION:
    return SiteKind::Region;
  case GPUINSTR_OP_LIBRARY:
    return SiteKind::Library;
  case GPUINSTR_OP_ALLOC:
    return SiteKind::Alloc;
  case GPUINSTR_OP_FREE:
    return SiteKind::Free;
  case GPUINSTR_OP_CREATE:
    return SiteKind::Create;
  case GPUINSTR_OP_DESTROY:
    return SiteKind::Destroy;
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_3D:
  case GPUINSTR_OP_COPY_SYMBOL:
  case GPUINSTR_OP_COPY_ARRAY:
  case GPUINSTR_OP_COPY_BATCH:
    return SiteKind::Copy;
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return SiteKind::Set;
  case GPUINSTR_OP_PREFETCH:
    return SiteKind::Prefetch;
  case GPUINSTR_OP_LAUNCH:
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return SiteKind::Launch;
  case GPUINSTR_OP_SYNC_DEVICE:
  case GPUINSTR_OP_SYNC_STREAM:
  case GPUINSTR_OP_SYNC_EVENT:
    return SiteKind::Sync;
  case GPUINSTR_OP_QUERY:
    return SiteKind::Query;
  case GPUINSTR_OP_WAIT_EVENT:
  case GPUINSTR_OP_RECORD_EVENT:
    return SiteKind::Event;
  case GPUINSTR_OP_GET_ERROR:
  case GPUINSTR_OP_PEEK_ERROR:
    return SiteKind::Error;
  case GPUINSTR_OP_CAPTURE_BEGIN:
  case GPUINSTR_OP_CAPTURE_END:
  case GPUINSTR_OP_GRAPH_NODE:
    return SiteKind::Graph;
  default:
    return SiteKind::Other;
  }
}

bool asksOfDevice(const Named<SiteKind> &kind) {
  return kind == SiteKind::Launch || kind == SiteKind::Copy || kind == SiteKind::Set ||
         kind == SiteKind::Library;
}

Resource resourceOf(unsigned resource) {
  static_assert(unsigned(Resource::Unknown) + 1 == GPUINSTR_RES_COUNT_);
  static_assert(unsigned(Resource::Mapping) + 1 == GPUINSTR_RES_MAPPING);
  static_assert(unsigned(Resource::NcclCommunicator) + 1 == GPUINSTR_RES_NCCL);
  return resource && resource < GPUINSTR_RES_COUNT_ ? Resource(resource - 1) : Resource::Unknown;
}

} // namespace gpuinstr::profile
