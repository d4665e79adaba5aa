// The operations that embedded kernel code calls.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"
#include "exec/block/DeviceHeap.h"

#include <chrono>
#include <thread>

namespace gpuinstr::sim {

namespace {

using Thread = gpuinstr_sim_thread;

BlockRun &blockOf(Thread *t) { return BlockRun::of(t); }
SimThread &own(Thread *t) { return blockOf(t).own(t); }

void barrier(Thread *t, uint32_t id, uint32_t count) {
  blockOf(t).barrier(own(t), id, count, GPUINSTR_SIM_POPC, false, /*Wait=*/true);
}
void barrierArrive(Thread *t, uint32_t id, uint32_t count) {
  blockOf(t).barrier(own(t), id, count, GPUINSTR_SIM_POPC, false, /*Wait=*/false);
}
uint32_t barrierVote(Thread *t, uint32_t id, uint32_t count, uint32_t kind, uint32_t predicate) {
  blockOf(t).barrier(own(t), id, count, kind, predicate != 0, /*Wait=*/true);
  return own(t).result;
}

void warpSync(Thread *t, uint32_t mask) { blockOf(t).warpOperation(own(t), WarpOp::Sync, 0, mask); }
uint32_t shuffle(Thread *t, uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane,
                 uint32_t clamp, uint32_t *inRange) {
  SimThread &mine = own(t);
  mine.value = value;
  mine.operand = lane;
  mine.clamp = clamp;
  blockOf(t).warpOperation(mine, WarpOp::Shuffle, kind, mask);
  if (inRange)
    *inRange = mine.second;
  return mine.result;
}
uint32_t vote(Thread *t, uint32_t kind, uint32_t mask, uint32_t predicate) {
  own(t).value = predicate;
  blockOf(t).warpOperation(own(t), WarpOp::Vote, kind, mask);
  return own(t).result;
}
uint32_t activeMask(Thread *t, uint32_t site) { return blockOf(t).activeMask(own(t), site); }
uint32_t matchAny(Thread *t, uint32_t mask, uint64_t value) {
  own(t).wide = value;
  blockOf(t).warpOperation(own(t), WarpOp::MatchAny, 0, mask);
  return own(t).result;
}
uint32_t matchAll(Thread *t, uint32_t mask, uint64_t value, uint32_t *same) {
  own(t).wide = value;
  blockOf(t).warpOperation(own(t), WarpOp::MatchAll, 0, mask);
  if (same)
    *same = own(t).second;
  return own(t).result;
}
uint32_t reduce(Thread *t, uint32_t kind, uint32_t mask, uint32_t value) {
  own(t).value = value;
  blockOf(t).warpOperation(own(t), WarpOp::Reduce, kind, mask);
  return own(t).result;
}

void yieldThread(Thread *t) {
  if (blockOf(t).grid.fibers())
    blockOf(t).yield(own(t));
  else
    t->budget = UINT32_MAX; // Nobody waits for it.
}

int32_t print(Thread *t, const char *format, const void *arguments) {
  std::vector<OutputPiece> &output = blockOf(t).output;
  if (output.empty() || output.back().error || output.back().text.size() > 65536)
    output.push_back({});
  return formatDevice(output.back().text, format, arguments);
}

uint64_t now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}
/// The device claims 1 GHz (DeviceModel.cpp). Loops that wait by the clock let others run.
uint64_t clockCycles(Thread *t) {
  BlockRun &block = blockOf(t);
  if (block.grid.fibers()) {
    block.yield(own(t));
    return now();
  }
  return now() + block.skipWait(*t);
}
uint64_t globalTimer(Thread *t) {
  if (blockOf(t).grid.fibers())
    blockOf(t).yield(own(t));
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}
void sleepThread(Thread *t, uint32_t ns) {
  if (blockOf(t).grid.fibers())
    blockOf(t).yield(own(t));
  else if (blockOf(t).grid.scheduled())
    t->budget = 1; // Others run when it looks at memory next.
  else
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

void *heapAlloc(Thread *t, uint64_t bytes) {
  return deviceHeapAlloc(bytes, blockOf(t).grid.shape.heapBytes);
}
void heapFree(Thread *, void *block) { deviceHeapFree(block); }

uint32_t isInSpace(Thread *t, const void *address, uint32_t space) {
  const BlockRun &block = blockOf(t);
  switch (space) {
  case 1:
    return block.isShared(address);
  case 2:
    return inEmbeddedConstants(address);
  case 3:
    return block.isLocal(address);
  default:
    return address && !block.isShared(address) && !block.isLocal(address) &&
           !inEmbeddedConstants(address);
  }
}

void assertFail(Thread *t, const char *message, const char *file, uint32_t line,
                const char *function) {
  auto three = [](const uint32_t *v) {
    return "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) +
           "]";
  };
  blockOf(t).output.push_back(
      {/*Error=*/true, std::string(file ? file : "?") + ":" + std::to_string(line) + ": " +
                           (function ? function : "?") + ": block: " + three(t->block) +
                           ", thread: " + three(t->thread) + " Assertion `" +
                           (message ? message : "?") + "` failed.\n"});
  blockOf(t).failThread(t, CUDA_ERROR_ASSERT);
}
void trap(Thread *t) {
  blockOf(t).fail(CUDA_ERROR_LAUNCH_FAILED, BlockRun::placeOf(*t) + ": trap");
}
void exitThread(Thread *t) { blockOf(t).exitThread(t); }
void unsupported(Thread *t, const char *what) {
  blockOf(t).fail(CUDA_ERROR_NOT_SUPPORTED, std::string(what ? what : "something") +
                                                " is not simulated (" + BlockRun::placeOf(*t) +
                                                ")");
}

} // namespace

const gpuinstr_sim_ops Operations = {
    sizeof(gpuinstr_sim_ops),
    GPUINSTR_SIM_ABI_VERSION,
    barrier,
    barrierArrive,
    barrierVote,
    warpSync,
    shuffle,
    vote,
    activeMask,
    matchAny,
    matchAll,
    reduce,
    yieldThread,
    print,
    clockCycles,
    globalTimer,
    sleepThread,
    heapAlloc,
    heapFree,
    isInSpace,
    assertFail,
    trap,
    exitThread,
    unsupported,
};

} // namespace gpuinstr::sim
