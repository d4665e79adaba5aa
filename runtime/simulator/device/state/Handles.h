// The objects behind CUDA's opaque handles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/Work.h"
#include "exec/kernels/DeviceOutput.h"

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpuinstr::sim {
struct CaptureSession;
}

struct CUctx_st {
  int Device = 0;
  uint64_t Id = 0;
  unsigned Flags = 0;
  bool Primary = false;
  bool Alive = false;
  int References = 0;
  std::array<size_t, CU_LIMIT_MAX> Limits = {};
  CUfunc_cache Cache = CU_FUNC_CACHE_PREFER_NONE;
  std::shared_ptr<CUstream_st> Legacy;
  std::map<uint64_t, std::shared_ptr<CUstream_st>> PerThread; ///< By ThreadState::Id.
  /// Created streams and PerThread; a destroyed one stays until its work is done.
  std::map<CUstream, std::shared_ptr<CUstream_st>> Streams;
  std::set<CUcontext> Peers; ///< Contexts this one may access.
  /// What a kernel did wrong: every later call answers it, until the context is gone.
  std::atomic<CUresult> Fault{CUDA_SUCCESS};
  gpuinstr::sim::DeviceOutput Output;
};

struct CUstream_st {
  CUcontext Context = nullptr;
  unsigned Flags = 0;
  int Priority = 0;
  uint64_t Id = 0;
  bool IsLegacy = false;
  bool IsPerThread = false;
  bool Destroyed = false;
  // Everything below is guarded by the state's mutex.
  uint64_t Submitted = 0;
  uint64_t Completed = 0;
  bool Running = false;
  bool HasWorker = false;
  std::deque<gpuinstr::sim::Task> Queue;
  std::shared_ptr<gpuinstr::sim::CaptureSession> Capture;
  std::vector<CUgraphNode> CaptureTail; ///< Nodes that the next captured node depends on.
  std::map<int, CUlaunchAttributeValue> Attributes;

  bool blocking() const { return !IsLegacy && !(Flags & CU_STREAM_NON_BLOCKING); }
};

struct CUevent_st {
  CUcontext Context = nullptr;
  unsigned Flags = 0;
  std::shared_ptr<gpuinstr::sim::EventRecord> Record; ///< Null until recorded.
  std::shared_ptr<gpuinstr::sim::CaptureSession> Capture;
  std::vector<CUgraphNode> CaptureTail;
};

struct CUmod_st;
struct CUlib_st;

struct CUfunc_st {
  std::string Name;
  CUmodule Module = nullptr;
  const void *HostSymbol = nullptr; ///< What the program launches by; null for cuModuleGetFunction.
  int MaxDynamicShared = 48 * 1024;
  std::map<int, int> Attributes;
};

struct CUmod_st {
  const void *Image = nullptr; ///< Fat binary, cubin or PTX as handed in; not copied.
  std::string File;            ///< The image's bytes when it was read from a file.
  CUcontext Context = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> Functions;
  bool NamesKnown = false; ///< The image could be read: unknown names are refused.
};

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR Desc = {};
  CUcontext Context = nullptr;
  size_t ElementBytes = 0;
  size_t RowBytes = 0;
  size_t Rows = 1;
  size_t Slices = 1;
  size_t Offset = 0; ///< Where its backing memory starts.
  CUdeviceptr Memory = 0;
  bool PartOfMipmap = false;
};

struct CUmipmappedArray_st {
  CUcontext Context = nullptr;
  std::vector<std::unique_ptr<CUarray_st>> Levels;
};

struct CUmemPoolHandle_st {
  CUmemPoolProps Props = {};
  int Device = 0;
  bool IsDefault = false;
  bool Destroyed = false;
  std::map<int, int> Ints = {{CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1},
                             {CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 1},
                             {CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1}};
  uint64_t ReleaseThreshold = 0;
  uint64_t Used = 0, UsedHigh = 0;
  uint64_t Reserved = 0, ReservedHigh = 0;
  std::map<int, CUmemAccess_flags> Access; ///< By device ordinal.
};
