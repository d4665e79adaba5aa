// The operations that streams and graphs hold: copies, sets, launches, events, allocations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/ThreadState.h"

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
  std::shared_ptr<CUstream_st> stream;
  uint64_t sequence = 0;
};

/// What one cudaEventRecord left behind. Recording again replaces the object, so that waits on the
/// earlier record keep their meaning.
struct EventRecord {
  StreamPoint point;
  bool done = false;  ///< Guarded by the state's mutex.
  int64_t timeNs = 0; ///< Steady clock, valid once Done.
};

/// Memory that belongs to graphs (MemAlloc nodes). Returns to the device with its last owner.
struct GraphMemory {
  CUdeviceptr address = 0;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {};
  CUcontext context = nullptr;
  GraphMemory(CUdeviceptr address, CUcontext context, const CUDA_MEM_ALLOC_NODE_PARAMS &params);
  GraphMemory(const GraphMemory &) = delete;
  ~GraphMemory();
};

struct EmptyOp {};
struct CopyOp {
  CUDA_MEMCPY3D params = {};
  /// Bytes of a pageable source, saved when the call was made (the caller may reuse its buffer).
  std::shared_ptr<std::vector<char>> staged;
  unsigned line = threadState().markedLine; ///< The program's, for the oracle; 0 unknown.
  uint64_t order = 0;                       ///< When it was submitted, for the oracle.
};
struct SetOp {
  CUDA_MEMSET_NODE_PARAMS params = {};
  size_t depth = 1;      ///< Slices; a 3D set has more than one.
  size_t slicePitch = 0; ///< Bytes from one slice to the next.
  unsigned line = threadState().markedLine;
  uint64_t order = 0;
};
struct KernelOp {
  CUDA_KERNEL_NODE_PARAMS params = {};
  std::array<unsigned, 3> cluster = {0, 0, 0};
  bool cooperative = false;
  bool ofTool = false; ///< One of gpuinstr's own kernels: not counted.
  /// Set by keepArguments, where the kernel has a host version.
  std::shared_ptr<const KernelArguments> arguments;
};
struct HostOp {
  CUDA_HOST_NODE_PARAMS params = {};
  CUstreamCallback callback = nullptr; ///< Set for cudaStreamAddCallback, then Params is unused.
  CUstream callbackStream = nullptr;
  void *callbackData = nullptr;
};
struct RecordOp {
  CUevent event = nullptr;
  std::shared_ptr<EventRecord> record; ///< Null in graph nodes, made when the graph is launched.
};
struct WaitOp {
  CUevent event = nullptr;
};
struct AllocOp {
  std::shared_ptr<GraphMemory> memory;
};
struct FreeOp {
  CUdeviceptr address = 0;
  /// What was freed; null in graph nodes, where the graph keeps the address range.
  std::shared_ptr<Allocation> gone;
};
struct ValueOp {
  CUdeviceptr address = 0;
  uint64_t value = 0;
  unsigned bytes = 4;
  unsigned flags = 0;
  bool wait = false;
};
struct ChildOp {
  std::shared_ptr<CUgraph_st> graph;
};
struct GraphOp; // Below: it holds operations itself.

using Op = std::variant<EmptyOp, CopyOp, SetOp, KernelOp, HostOp, RecordOp, WaitOp, AllocOp, FreeOp,
                        ValueOp, ChildOp, std::shared_ptr<GraphOp>>;

/// A launched graph: its operations in an order that respects every edge.
struct GraphOp {
  std::vector<Op> nodes;
};

/// One piece of work in a stream's queue.
struct Task {
  Op work;
  std::vector<StreamPoint> after; ///< Points in other streams that must be reached first.
};

} // namespace gpuinstr::sim
