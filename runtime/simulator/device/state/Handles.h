// The objects behind CUDA's opaque handles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace gpuinstr::sim {

struct CaptureSession;
struct Allocation;
struct KernelArguments;

/// A point in a stream's work: reached once the stream has completed \c Sequence tasks.
struct StreamPoint {
  std::shared_ptr<CUstream_st> Stream;
  uint64_t Sequence = 0;
};

/// What one cudaEventRecord left behind. Recording again replaces the object, so that waits on the
/// earlier record keep their meaning.
struct EventRecord {
  StreamPoint Point;
  bool Done = false;  ///< Guarded by the state's mutex.
  int64_t TimeNs = 0; ///< Steady clock, valid once Done.
};

/// Memory that belongs to graphs (MemAlloc nodes). Returns to the device with its last owner.
struct GraphMemory {
  CUdeviceptr Address = 0;
  CUDA_MEM_ALLOC_NODE_PARAMS Params = {};
  CUcontext Context = nullptr;
  GraphMemory(CUdeviceptr Address, CUcontext Context, const CUDA_MEM_ALLOC_NODE_PARAMS &Params);
  GraphMemory(const GraphMemory &) = delete;
  ~GraphMemory();
};

struct EmptyOp {};
struct CopyOp {
  CUDA_MEMCPY3D Params = {};
  /// Bytes of a pageable source, saved when the call was made (the caller may reuse its buffer).
  std::shared_ptr<std::vector<char>> Staged;
};
struct SetOp {
  CUDA_MEMSET_NODE_PARAMS Params = {};
  size_t Depth = 1;      ///< Slices; a 3D set has more than one.
  size_t SlicePitch = 0; ///< Bytes from one slice to the next.
};
struct KernelOp {
  CUDA_KERNEL_NODE_PARAMS Params = {};
  std::array<unsigned, 3> Cluster = {0, 0, 0};
  bool Cooperative = false;
  bool OfTool = false; ///< One of gpuinstr's own kernels: not counted.
  /// Set by keepArguments, where the kernel has a host version.
  std::shared_ptr<const KernelArguments> Arguments;
};
struct HostOp {
  CUDA_HOST_NODE_PARAMS Params = {};
  CUstreamCallback Callback = nullptr; ///< Set for cudaStreamAddCallback, then Params is unused.
  CUstream CallbackStream = nullptr;
  void *CallbackData = nullptr;
};
struct RecordOp {
  CUevent Event = nullptr;
  std::shared_ptr<EventRecord> Record; ///< Null in graph nodes, made when the graph is launched.
};
struct WaitOp {
  CUevent Event = nullptr;
};
struct AllocOp {
  std::shared_ptr<GraphMemory> Memory;
};
struct FreeOp {
  CUdeviceptr Address = 0;
  /// What was freed; null in graph nodes, where the graph keeps the address range.
  std::shared_ptr<Allocation> Gone;
};
struct ValueOp {
  CUdeviceptr Address = 0;
  uint64_t Value = 0;
  unsigned Bytes = 4;
  unsigned Flags = 0;
  bool Wait = false;
};
struct ChildOp {
  std::shared_ptr<CUgraph_st> Graph;
};
struct GraphOp; // A launched graph, see Graph.h.

using Op = std::variant<EmptyOp, CopyOp, SetOp, KernelOp, HostOp, RecordOp, WaitOp, AllocOp, FreeOp,
                        ValueOp, ChildOp, std::shared_ptr<GraphOp>>;

/// One piece of work in a stream's queue.
struct Task {
  Op Work;
  std::vector<StreamPoint> After; ///< Points in other streams that must be reached first.
};

} // namespace gpuinstr::sim

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
