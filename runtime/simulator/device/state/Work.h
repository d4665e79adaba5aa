// The operations that streams and graphs hold: copies, sets, launches, events, allocations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace gpuinstr::sim {

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
struct GraphOp; // Below: it holds operations itself.

using Op = std::variant<EmptyOp, CopyOp, SetOp, KernelOp, HostOp, RecordOp, WaitOp, AllocOp, FreeOp,
                        ValueOp, ChildOp, std::shared_ptr<GraphOp>>;

/// A launched graph: its operations in an order that respects every edge.
struct GraphOp {
  std::vector<Op> Nodes;
};

/// One piece of work in a stream's queue.
struct Task {
  Op Work;
  std::vector<StreamPoint> After; ///< Points in other streams that must be reached first.
};

} // namespace gpuinstr::sim
