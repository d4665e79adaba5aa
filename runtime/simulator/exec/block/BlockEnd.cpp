// Threads that end early (exit, failure, fault), and which memory of a block an address is in.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"

#include <cstdio>

namespace gpuinstr::sim {

void BlockRun::exitThread(gpuinstr_sim_thread *Ended) {
  if (Loops) {
    if (InSteps)
      frame(Ended->linear).turn = GPUINSTR_SIM_ENDED;
    ThreadEnded = true;
    ResumeAt = Ended->linear + 1;
    State = BlockState::Sliced;
  } else {
    auto &T = *static_cast<SimThread *>(Ended);
    ended(T);
    Stacks.giveBack(T.On);
    T.On = nullptr;
  }
  jumpToScheduler(nullptr);
  __builtin_unreachable();
}

void BlockRun::failThread(gpuinstr_sim_thread *T, CUresult Error) {
  Grid.fail(Error, "");
  Draining = true;
  exitThread(T);
}

void BlockRun::fail(CUresult Error, const std::string &Text) {
  Grid.fail(Error, Text);
  State = Loops && !Grid.scheduled() ? BlockState::Ended : BlockState::Failed;
  jumpToScheduler(nullptr);
  __builtin_unreachable();
}

void BlockRun::faulted(const void *Address, bool StackOverflow) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "illegal access to address %p", Address);
  std::string Where = InSteps ? whereIs(LoopThread->linear)
                      : Loops ? "block " + std::to_string(Index)
                              : placeOf(*Current);
  fail(CUDA_ERROR_ILLEGAL_ADDRESS,
       StackOverflow ? Where + ": stack overflow" : Text + (" in " + Where));
}

void BlockRun::dropThreads() {
  if (Loops)
    return;
  for (uint32_t I = 0; I < Grid.Threads; ++I)
    if (SimThread &T = Threads[I]; T.On) {
      Stacks.giveBack(T.On);
      T.On = nullptr;
    }
}

uint64_t BlockRun::skipWait(const gpuinstr_sim_thread &T) {
  if (T.linear != ClockThread)
    ClockLooks = 0;
  ClockThread = T.linear;
  if (++ClockLooks > 32)
    ClockGain += 5000;
  return ClockGain;
}

bool BlockRun::isShared(const void *Address) const {
  auto At = static_cast<const char *>(Address);
  return At >= Shared && At < Dynamic + Grid.Shape.DynamicBytes;
}

bool BlockRun::isLocal(const void *Address) const {
  const Stack *On = Loops ? LoopStack : Current ? Current->On : nullptr;
  auto At = static_cast<const char *>(Address);
  if (InSteps &&
      static_cast<uint64_t>(At - StepState.frames) < StepState.frame_bytes * Grid.Threads)
    return true;
  return On && At >= On->Low && At < On->top();
}

std::string BlockRun::whereIs(uint32_t Linear) {
  if (!InSteps)
    return placeOf(Threads[Linear]);
  fill(*LoopThread, Linear);
  return placeOf(*LoopThread);
}

std::string BlockRun::placeOf(const gpuinstr_sim_thread &T) {
  auto Three = [](const uint32_t *V) {
    return "(" + std::to_string(V[0]) + "," + std::to_string(V[1]) + "," + std::to_string(V[2]) +
           ")";
  };
  return "block " + Three(T.block) + ", thread " + Three(T.thread);
}

} // namespace gpuinstr::sim
