// Runs one operation of a stream.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"
#include "device/kernel/KernelCode.h"
#include "device/kernel/Launch.h"
#include "device/memory/Allocations.h"
#include "device/memory/Copy.h"
#include "device/memory/MemoryPool.h"
#include "device/oracle/Oracle.h"
#include "device/stream/Stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace gpuinstr::sim {

namespace {

bool valueReached(const ValueOp &op) {
  uint64_t now = op.bytes == 8
                     ? __atomic_load_n(reinterpret_cast<uint64_t *>(op.address), __ATOMIC_ACQUIRE)
                     : __atomic_load_n(reinterpret_cast<uint32_t *>(op.address), __ATOMIC_ACQUIRE);
  uint64_t mask = op.bytes == 8 ? UINT64_MAX : UINT32_MAX;
  switch (op.flags & 3) {
  case CU_STREAM_WAIT_VALUE_EQ:
    return now == (op.value & mask);
  case CU_STREAM_WAIT_VALUE_AND:
    return (now & op.value) != 0;
  case CU_STREAM_WAIT_VALUE_NOR:
    return (~(now | op.value) & mask) != 0;
  default: // CU_STREAM_WAIT_VALUE_GEQ compares cyclically.
    return op.bytes == 8 ? static_cast<int64_t>(now - op.value) >= 0
                         : static_cast<int32_t>(uint32_t(now) - uint32_t(op.value)) >= 0;
  }
}

struct Runner {
  CUstream stream;

  /// After a kernel's fault nothing more is done to memory.
  bool dead() const { return stream->context->fault != CUDA_SUCCESS; }

  void operator()(EmptyOp &) {}
  void operator()(WaitOp &) {}
  void operator()(RecordOp &) {}
  void operator()(ChildOp &) {}
  void operator()(CopyOp &copy) {
    if (dead())
      return;
    if (Oracle *oracle = Oracle::get())
      oracle->perform(rowsOf(copy));
    else
      runCopy(copy);
  }
  void operator()(SetOp &set) {
    if (dead())
      return;
    if (Oracle *oracle = Oracle::get())
      oracle->perform(rowsOf(set));
    else
      runSet(set);
  }
  void operator()(KernelOp &kernel) {
    if (dead())
      return;
    Oracle *oracle = Oracle::get();
    if (oracle)
      oracle->beforeKernel(kernel);
    runKernel(kernel, stream);
    if (oracle)
      oracle->afterKernel(kernel);
  }
  void operator()(HostOp &host) {
    stream->context->output.flush();
    if (host.callback)
      host.callback(host.callbackStream, stream->context->fault, host.callbackData);
    else if (!dead())
      host.params.fn(host.params.userData);
  }
  void operator()(AllocOp &) {} // Known since the launch: the program may free it from then on.
  void operator()(FreeOp &free) { finishFree(free); }
  void operator()(ValueOp &op) {
    if (op.wait) {
      while (!dead() && !valueReached(op))
        std::this_thread::yield();
      return;
    }
    if (op.bytes == 8)
      __atomic_store_n(reinterpret_cast<uint64_t *>(op.address), op.value, __ATOMIC_RELEASE);
    else
      __atomic_store_n(reinterpret_cast<uint32_t *>(op.address), uint32_t(op.value),
                       __ATOMIC_RELEASE);
  }
  void operator()(std::shared_ptr<GraphOp> &graph) {
    for (Op &node : graph->nodes)
      std::visit(*this, node);
  }
};

} // namespace

void execute(Op &work, CUstream stream) { std::visit(Runner{stream}, work); }

bool needsWorker(const Op &work) {
  if (std::holds_alternative<HostOp>(work))
    return true;
  if (auto *value = std::get_if<ValueOp>(&work))
    return value->wait;
  if (auto *kernel = std::get_if<KernelOp>(&work))
    return runsAsynchronously(*kernel);
  if (auto *graph = std::get_if<std::shared_ptr<GraphOp>>(&work))
    return std::any_of((*graph)->nodes.begin(), (*graph)->nodes.end(), needsWorker);
  return false;
}

} // namespace gpuinstr::sim
