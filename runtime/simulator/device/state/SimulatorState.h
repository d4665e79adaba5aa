// The one state of the simulator: devices, contexts, allocations, handles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/ThreadState.h"
#include "device/state/Arena.h"
#include "device/state/Handles.h"

#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace gpuinstr::sim {

enum class AllocKind { Device, Pool, Managed, Pinned, Registered, Symbol, Mapped };

/// A live range of memory that CUDA knows. Its key in State::Allocations is its first byte.
struct Allocation {
  AllocKind kind = AllocKind::Device;
  size_t size = 0; ///< Bytes asked for.
  uint64_t id = 0; ///< CU_POINTER_ATTRIBUTE_BUFFER_ID; never used twice.
  CUcontext context = nullptr;
  int device = 0;
  unsigned flags = 0; ///< As given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged.
  CUmemoryPool pool = nullptr;
  std::shared_ptr<GraphMemory> graph;
  CUmemGenericAllocationHandle handle = 0; ///< For Mapped.
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  bool ofProgram = false; ///< Embedded in the executable, which owns its memory.
  unsigned syncMemops = 0;
  std::map<int, int> advice; ///< cuMemAdvise by advice: device, or 1.

  bool isManaged() const {
    return kind == AllocKind::Managed ||
           (pool && pool->props.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED);
  }
  bool hostVisible() const {
    return kind == AllocKind::Pinned || kind == AllocKind::Registered || isManaged();
  }
};

struct Device {
  int ordinal = 0;
  Arena memory;
  CUctx_st primary;
  CUmemoryPool defaultPool = nullptr;
  CUmemoryPool currentPool = nullptr;
};

struct State {
  std::mutex m;                    ///< Guards everything here and inside the handles.
  std::condition_variable changed; ///< A task completed, or a queue got work.
  std::vector<std::unique_ptr<Device>> devices;
  std::map<CUdeviceptr, Allocation> allocations;
  /// Address ranges that graphs own, live or not: what graph nodes may name before a launch.
  std::map<CUdeviceptr, size_t> graphRanges;
  std::unordered_map<CUstream, std::shared_ptr<CUstream_st>> streams;
  std::unordered_set<CUevent> events;
  std::unordered_set<CUcontext> contexts; ///< Live ones, primary and created.
  std::unordered_set<CUmodule> modules;
  std::unordered_set<CUfunction> functions;
  std::unordered_set<CUarray> arrays;
  std::unordered_set<CUmipmappedArray> mipmaps;
  std::unordered_set<CUmemoryPool> pools;
  std::unordered_set<std::shared_ptr<CaptureSession>> captures; ///< Not yet ended.
  uint64_t freeId = 1;
  bool initialised = false; ///< cuInit was called.

  uint64_t nextId() { return freeId++; }
};

/// Never destroyed: calls may come from destructors that run after ours.
State &state();

// These need the lock.
bool isContext(const State &s, CUcontext context);
bool isDevice(const State &s, int ordinal);

using Lock = std::unique_lock<std::mutex>;

} // namespace gpuinstr::sim
