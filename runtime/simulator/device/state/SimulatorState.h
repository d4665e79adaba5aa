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
  AllocKind Kind = AllocKind::Device;
  size_t Size = 0; ///< Bytes asked for.
  uint64_t Id = 0; ///< CU_POINTER_ATTRIBUTE_BUFFER_ID; never used twice.
  CUcontext Context = nullptr;
  int Device = 0;
  unsigned Flags = 0; ///< As given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged.
  CUmemoryPool Pool = nullptr;
  std::shared_ptr<GraphMemory> Graph;
  CUmemGenericAllocationHandle Handle = 0; ///< For Mapped.
  CUmemAccess_flags Access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  bool OfProgram = false; ///< Embedded in the executable, which owns its memory.
  unsigned SyncMemops = 0;
  std::map<int, int> Advice; ///< cuMemAdvise by advice: device, or 1.

  bool hostVisible() const {
    return Kind == AllocKind::Pinned || Kind == AllocKind::Registered || Kind == AllocKind::Managed;
  }
};

struct Device {
  int Ordinal = 0;
  Arena Memory;
  CUctx_st Primary;
  CUmemoryPool DefaultPool = nullptr;
  CUmemoryPool CurrentPool = nullptr;
};

struct State {
  std::mutex M;                    ///< Guards everything here and inside the handles.
  std::condition_variable Changed; ///< A task completed, or a queue got work.
  std::vector<std::unique_ptr<Device>> Devices;
  std::map<CUdeviceptr, Allocation> Allocations;
  /// Address ranges that graphs own, live or not: what graph nodes may name before a launch.
  std::map<CUdeviceptr, size_t> GraphRanges;
  std::unordered_map<CUstream, std::shared_ptr<CUstream_st>> Streams;
  std::unordered_set<CUevent> Events;
  std::unordered_set<CUcontext> Contexts; ///< Live ones, primary and created.
  std::unordered_set<CUmodule> Modules;
  std::unordered_set<CUfunction> Functions;
  std::unordered_set<CUarray> Arrays;
  std::unordered_set<CUmipmappedArray> Mipmaps;
  std::unordered_set<CUmemoryPool> Pools;
  std::unordered_set<std::shared_ptr<CaptureSession>> Captures; ///< Not yet ended.
  uint64_t NextId = 1;
  bool Initialised = false; ///< cuInit was called.

  uint64_t nextId() { return NextId++; }
};

/// Never destroyed: calls may come from destructors that run after ours.
State &state();

// These need the lock.
bool isContext(const State &S, CUcontext Context);
bool isDevice(const State &S, int Ordinal);

using Lock = std::unique_lock<std::mutex>;

} // namespace gpuinstr::sim
