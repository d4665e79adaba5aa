// Runs one operation of a stream.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"
#include "device/kernel/KernelCode.h"
#include "device/kernel/Launch.h"
#include "device/memory/Allocations.h"
#include "device/memory/Copy.h"
#include "device/memory/MemoryPool.h"
#include "device/stream/Stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace gpuinstr::sim {

namespace {

bool valueReached(const ValueOp &Op) {
  uint64_t Now = Op.Bytes == 8
                     ? __atomic_load_n(reinterpret_cast<uint64_t *>(Op.Address), __ATOMIC_ACQUIRE)
                     : __atomic_load_n(reinterpret_cast<uint32_t *>(Op.Address), __ATOMIC_ACQUIRE);
  uint64_t Mask = Op.Bytes == 8 ? UINT64_MAX : UINT32_MAX;
  switch (Op.Flags & 3) {
  case CU_STREAM_WAIT_VALUE_EQ:
    return Now == (Op.Value & Mask);
  case CU_STREAM_WAIT_VALUE_AND:
    return (Now & Op.Value) != 0;
  case CU_STREAM_WAIT_VALUE_NOR:
    return (~(Now | Op.Value) & Mask) != 0;
  default: // CU_STREAM_WAIT_VALUE_GEQ compares cyclically.
    return Op.Bytes == 8 ? static_cast<int64_t>(Now - Op.Value) >= 0
                         : static_cast<int32_t>(uint32_t(Now) - uint32_t(Op.Value)) >= 0;
  }
}

struct Runner {
  CUstream Stream;

  /// After a kernel's fault nothing more is done to memory.
  bool dead() const { return Stream->Context->Fault != CUDA_SUCCESS; }

  void operator()(EmptyOp &) {}
  void operator()(WaitOp &) {}
  void operator()(RecordOp &) {}
  void operator()(ChildOp &) {}
  void operator()(CopyOp &Copy) {
    if (!dead())
      runCopy(Copy);
  }
  void operator()(SetOp &Set) {
    if (!dead())
      runSet(Set);
  }
  void operator()(KernelOp &Kernel) {
    if (!dead())
      runKernel(Kernel, Stream);
  }
  void operator()(HostOp &Host) {
    Stream->Context->Output.flush();
    if (Host.Callback)
      Host.Callback(Host.CallbackStream, Stream->Context->Fault, Host.CallbackData);
    else if (!dead())
      Host.Params.fn(Host.Params.userData);
  }
  void operator()(AllocOp &) {} // Known since the launch: the program may free it from then on.
  void operator()(FreeOp &Free) { finishFree(Free); }
  void operator()(ValueOp &Op) {
    if (Op.Wait) {
      while (!dead() && !valueReached(Op))
        std::this_thread::yield();
      return;
    }
    if (Op.Bytes == 8)
      __atomic_store_n(reinterpret_cast<uint64_t *>(Op.Address), Op.Value, __ATOMIC_RELEASE);
    else
      __atomic_store_n(reinterpret_cast<uint32_t *>(Op.Address), uint32_t(Op.Value),
                       __ATOMIC_RELEASE);
  }
  void operator()(std::shared_ptr<GraphOp> &Graph) {
    for (Op &Node : Graph->Nodes)
      std::visit(*this, Node);
  }
};

} // namespace

void execute(Op &Work, CUstream Stream) { std::visit(Runner{Stream}, Work); }

bool needsWorker(const Op &Work) {
  if (std::holds_alternative<HostOp>(Work))
    return true;
  if (auto *Value = std::get_if<ValueOp>(&Work))
    return Value->Wait;
  if (auto *Kernel = std::get_if<KernelOp>(&Work))
    return runsAsynchronously(*Kernel);
  if (auto *Graph = std::get_if<std::shared_ptr<GraphOp>>(&Work))
    return std::any_of((*Graph)->Nodes.begin(), (*Graph)->Nodes.end(), needsWorker);
  return false;
}

} // namespace gpuinstr::sim
