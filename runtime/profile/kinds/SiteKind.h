// What a site does, and what it allocates.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_KINDS_SITEKIND_H
#define GPUINSTR_PROFILE_KINDS_SITEKIND_H

#include "profile/kinds/Named.h"

namespace gpuinstr::profile {

#define GPUINSTR_SITE_KINDS(X)                                                                     \
  X(Caller, "caller")                                                                              \
  X(Region, "region")                                                                              \
  X(Library, "library")                                                                            \
  X(Alloc, "alloc")                                                                                \
  X(Free, "free")                                                                                  \
  X(Create, "create")                                                                              \
  X(Destroy, "destroy")                                                                            \
  X(Copy, "copy")                                                                                  \
  X(Set, "set")                                                                                    \
  X(Prefetch, "prefetch")                                                                          \
  X(Launch, "launch")                                                                              \
  X(Sync, "sync")                                                                                  \
  X(Query, "query")                                                                                \
  X(Event, "event")                                                                                \
  X(Error, "error")                                                                                \
  X(Graph, "graph")                                                                                \
  X(Other, "other")
GPUINSTR_NAMED_ENUM(SiteKind, GPUINSTR_SITE_KINDS)

/// Of a gpuinstr_op; Other for a value not known.
SiteKind siteKindOf(unsigned op);

/// Whether calls of such a site put work on the device, or may do so. Graphs apart.
bool asksOfDevice(const Named<SiteKind> &kind);

/// Memory and handles, in the order of gpuinstr_resource from 1 on.
#define GPUINSTR_RESOURCES(X)                                                                      \
  X(Device, "device")                                                                              \
  X(Async, "async")                                                                                \
  X(Pitched, "pitched")                                                                            \
  X(Array, "array")                                                                                \
  X(Mipmapped, "mipmapped")                                                                        \
  X(Managed, "managed")                                                                            \
  X(Pinned, "pinned")                                                                              \
  X(Registered, "registered")                                                                      \
  X(Stream, "stream")                                                                              \
  X(Event, "event")                                                                                \
  X(Graph, "graph")                                                                                \
  X(GraphExec, "graph-exec")                                                                       \
  X(Texture, "texture")                                                                            \
  X(Surface, "surface")                                                                            \
  X(Pool, "pool")                                                                                  \
  X(Vmm, "vmm")                                                                                    \
  X(Mapping, "mapping")                                                                            \
  X(CublasHandle, "cublas-handle")                                                                 \
  X(CufftPlan, "cufft-plan")                                                                       \
  X(CurandGenerator, "curand-generator")                                                           \
  X(CusparseHandle, "cusparse-handle")                                                             \
  X(CusolverHandle, "cusolver-handle")                                                             \
  X(CudnnHandle, "cudnn-handle")                                                                   \
  X(NcclCommunicator, "nccl-communicator")
GPUINSTR_NAMED_ENUM(Resource, GPUINSTR_RESOURCES)

/// Of a gpuinstr_resource; Unknown for none.
Resource resourceOf(unsigned resource);

} // namespace gpuinstr::profile

#endif
