// The operations that embedded kernel code calls.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"
#include "exec/block/DeviceHeap.h"

#include <chrono>
#include <thread>

namespace gpuinstr::sim {

namespace {

using Thread = gpuinstr_sim_thread;

BlockRun &blockOf(Thread *T) { return BlockRun::of(T); }
SimThread &own(Thread *T) { return blockOf(T).own(T); }

void barrier(Thread *T, uint32_t Id, uint32_t Count) {
  blockOf(T).barrier(own(T), Id, Count, GPUINSTR_SIM_POPC, false, /*Wait=*/true);
}
void barrierArrive(Thread *T, uint32_t Id, uint32_t Count) {
  blockOf(T).barrier(own(T), Id, Count, GPUINSTR_SIM_POPC, false, /*Wait=*/false);
}
uint32_t barrierVote(Thread *T, uint32_t Id, uint32_t Count, uint32_t Kind, uint32_t Predicate) {
  blockOf(T).barrier(own(T), Id, Count, Kind, Predicate != 0, /*Wait=*/true);
  return own(T).Result;
}

void warpSync(Thread *T, uint32_t Mask) { blockOf(T).warpOperation(own(T), WarpOp::Sync, 0, Mask); }
uint32_t shuffle(Thread *T, uint32_t Kind, uint32_t Mask, uint32_t Value, uint32_t Lane,
                 uint32_t Clamp, uint32_t *InRange) {
  SimThread &Mine = own(T);
  Mine.Value = Value;
  Mine.Lane = Lane;
  Mine.Clamp = Clamp;
  blockOf(T).warpOperation(Mine, WarpOp::Shuffle, Kind, Mask);
  if (InRange)
    *InRange = Mine.Second;
  return Mine.Result;
}
uint32_t vote(Thread *T, uint32_t Kind, uint32_t Mask, uint32_t Predicate) {
  own(T).Value = Predicate;
  blockOf(T).warpOperation(own(T), WarpOp::Vote, Kind, Mask);
  return own(T).Result;
}
uint32_t activeMask(Thread *T, uint32_t Site) { return blockOf(T).activeMask(own(T), Site); }
uint32_t matchAny(Thread *T, uint32_t Mask, uint64_t Value) {
  own(T).Wide = Value;
  blockOf(T).warpOperation(own(T), WarpOp::MatchAny, 0, Mask);
  return own(T).Result;
}
uint32_t matchAll(Thread *T, uint32_t Mask, uint64_t Value, uint32_t *Same) {
  own(T).Wide = Value;
  blockOf(T).warpOperation(own(T), WarpOp::MatchAll, 0, Mask);
  if (Same)
    *Same = own(T).Second;
  return own(T).Result;
}
uint32_t reduce(Thread *T, uint32_t Kind, uint32_t Mask, uint32_t Value) {
  own(T).Value = Value;
  blockOf(T).warpOperation(own(T), WarpOp::Reduce, Kind, Mask);
  return own(T).Result;
}

void yieldThread(Thread *T) {
  if (blockOf(T).Grid.fibers())
    blockOf(T).yield(own(T));
  else
    T->budget = UINT32_MAX; // Nobody waits for it.
}

int32_t print(Thread *T, const char *Format, const void *Arguments) {
  std::vector<OutputPiece> &Output = blockOf(T).Output;
  if (Output.empty() || Output.back().Error || Output.back().Text.size() > 65536)
    Output.push_back({});
  return formatDevice(Output.back().Text, Format, Arguments);
}

uint64_t now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}
/// The device claims 1 GHz (DeviceModel.cpp). Loops that wait by the clock let others run.
uint64_t clockCycles(Thread *T) {
  BlockRun &Block = blockOf(T);
  if (Block.Grid.fibers()) {
    Block.yield(own(T));
    return now();
  }
  return now() + Block.skipWait(*T);
}
uint64_t globalTimer(Thread *T) {
  if (blockOf(T).Grid.fibers())
    blockOf(T).yield(own(T));
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}
void sleepThread(Thread *T, uint32_t Ns) {
  if (blockOf(T).Grid.fibers())
    blockOf(T).yield(own(T));
  else if (blockOf(T).Grid.scheduled())
    T->budget = 1; // Others run when it looks at memory next.
  else
    std::this_thread::sleep_for(std::chrono::nanoseconds(Ns));
}

void *heapAlloc(Thread *T, uint64_t Bytes) {
  return deviceHeapAlloc(Bytes, blockOf(T).Grid.Shape.HeapBytes);
}
void heapFree(Thread *, void *Block) { deviceHeapFree(Block); }

uint32_t isInSpace(Thread *T, const void *Address, uint32_t Space) {
  const BlockRun &Block = blockOf(T);
  switch (Space) {
  case 1:
    return Block.isShared(Address);
  case 2:
    return inEmbeddedConstants(Address);
  case 3:
    return Block.isLocal(Address);
  default:
    return Address && !Block.isShared(Address) && !Block.isLocal(Address) &&
           !inEmbeddedConstants(Address);
  }
}

void assertFail(Thread *T, const char *Message, const char *File, uint32_t Line,
                const char *Function) {
  auto Three = [](const uint32_t *V) {
    return "[" + std::to_string(V[0]) + "," + std::to_string(V[1]) + "," + std::to_string(V[2]) +
           "]";
  };
  blockOf(T).Output.push_back(
      {/*Error=*/true, std::string(File ? File : "?") + ":" + std::to_string(Line) + ": " +
                           (Function ? Function : "?") + ": block: " + Three(T->block) +
                           ", thread: " + Three(T->thread) + " Assertion `" +
                           (Message ? Message : "?") + "` failed.\n"});
  blockOf(T).failThread(T, CUDA_ERROR_ASSERT);
}
void trap(Thread *T) {
  blockOf(T).fail(CUDA_ERROR_LAUNCH_FAILED, BlockRun::placeOf(*T) + ": trap");
}
void exitThread(Thread *T) { blockOf(T).exitThread(T); }
void unsupported(Thread *T, const char *What) {
  blockOf(T).fail(CUDA_ERROR_NOT_SUPPORTED, std::string(What ? What : "something") +
                                                " is not simulated (" + BlockRun::placeOf(*T) +
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
