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
  int device = 0;
  uint64_t id = 0;
  unsigned flags = 0;
  bool primary = false;
  bool alive = false;
  int references = 0;
  std::array<size_t, CU_LIMIT_MAX> limits = {};
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
  std::shared_ptr<CUstream_st> legacy;
  std::map<uint64_t, std::shared_ptr<CUstream_st>> perThread; ///< By ThreadState::Id.
  /// Created streams and PerThread; a destroyed one stays until its work is done.
  std::map<CUstream, std::shared_ptr<CUstream_st>> streams;
  std::set<CUcontext> peers; ///< Contexts this one may access.
  /// What a kernel did wrong: every later call answers it, until the context is gone.
  std::atomic<CUresult> fault{CUDA_SUCCESS};
  gpuinstr::sim::DeviceOutput output;
};

struct CUstream_st {
  CUcontext context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  bool isLegacy = false;
  bool isPerThread = false;
  bool destroyed = false;
  // Everything below is guarded by the state's mutex.
  uint64_t submitted = 0;
  uint64_t completed = 0;
  bool running = false;
  bool hasWorker = false;
  std::deque<gpuinstr::sim::Task> queue;
  std::shared_ptr<gpuinstr::sim::CaptureSession> capture;
  std::vector<CUgraphNode> captureTail; ///< Nodes that the next captured node depends on.
  std::map<int, CUlaunchAttributeValue> attributes;

  bool blocking() const { return !isLegacy && !(flags & CU_STREAM_NON_BLOCKING); }
};

struct CUevent_st {
  CUcontext context = nullptr;
  unsigned flags = 0;
  std::shared_ptr<gpuinstr::sim::EventRecord> record; ///< Null until recorded.
  std::shared_ptr<gpuinstr::sim::CaptureSession> capture;
  std::vector<CUgraphNode> captureTail;
};

struct CUmod_st;
struct CUlib_st;

struct CUfunc_st {
  std::string name;
  CUmodule module = nullptr;
  const void *hostSymbol = nullptr; ///< What the program launches by; null for cuModuleGetFunction.
  int maxDynamicShared = 48 * 1024;
  std::map<int, int> attributes;
};

struct CUmod_st {
  /// Of a PTX text.
  struct Variable {
    size_t bytes = 0;
    CUdeviceptr address = 0; ///< once it was asked for
  };
  const void *image = nullptr; ///< Fat binary, cubin or PTX as handed in; not copied.
  std::string file;            ///< The image's bytes when it was read from a file.
  CUcontext context = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, Variable> variables;
  bool namesKnown = false; ///< The image could be read: unknown names are refused.
};

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR desc = {};
  CUcontext context = nullptr;
  size_t elementBytes = 0;
  size_t rowBytes = 0;
  size_t rows = 1;
  size_t slices = 1;
  size_t offset = 0; ///< Where its backing memory starts.
  CUdeviceptr memory = 0;
  bool partOfMipmap = false;
};

struct CUmipmappedArray_st {
  CUcontext context = nullptr;
  std::vector<std::unique_ptr<CUarray_st>> levels;
};

struct CUmemPoolHandle_st {
  CUmemPoolProps props = {};
  int device = 0;
  bool isDefault = false;
  bool destroyed = false;
  std::map<int, int> ints = {{CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1},
                             {CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 1},
                             {CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1}};
  uint64_t releaseThreshold = 0;
  uint64_t used = 0, usedHigh = 0;
  uint64_t reserved = 0, reservedHigh = 0;
  std::map<int, CUmemAccess_flags> access; ///< By device ordinal.
};
