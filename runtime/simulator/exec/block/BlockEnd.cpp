// Threads that end early (exit, failure, fault), and which memory of a block an address is in.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"

#include <cstdio>

namespace gpuinstr::sim {

void BlockRun::exitThread(gpuinstr_sim_thread *ended) {
  if (Loops) {
    if (InSteps)
      frame(ended->linear).turn = GPUINSTR_SIM_ENDED;
    ThreadEnded = true;
    ResumeAt = ended->linear + 1;
    State = BlockState::Sliced;
  } else {
    auto &t = *static_cast<SimThread *>(ended);
    this->ended(t);
    Stacks.giveBack(t.on);
    t.on = nullptr;
  }
  jumpToScheduler(nullptr);
  __builtin_unreachable();
}

void BlockRun::failThread(gpuinstr_sim_thread *t, CUresult error) {
  grid.fail(error, "");
  Draining = true;
  exitThread(t);
}

void BlockRun::fail(CUresult error, const std::string &text) {
  grid.fail(error, text);
  State = Loops && !grid.scheduled() ? BlockState::Ended : BlockState::Failed;
  jumpToScheduler(nullptr);
  __builtin_unreachable();
}

void BlockRun::faulted(const void *address, Fault fault) {
  const bool misaligned = fault == Fault::Misaligned;
  char text[64] = "illegal access to an address far outside of all memory";
  if (fault != Fault::NoAddress)
    std::snprintf(text, sizeof(text), "%s access to address %p",
                  misaligned ? "misaligned" : "illegal", address);
  std::string where = InSteps ? whereIs(LoopThread->linear)
                      : Loops ? "block " + std::to_string(Index)
                              : placeOf(*Current);
  fail(misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS,
       fault == Fault::StackOverflow ? where + ": stack overflow" : text + (" in " + where));
}

void BlockRun::dropThreads() {
  if (Loops)
    return;
  for (uint32_t i = 0; i < grid.threads; ++i)
    if (SimThread &t = Threads[i]; t.on) {
      Stacks.giveBack(t.on);
      t.on = nullptr;
    }
}

uint64_t BlockRun::skipWait(const gpuinstr_sim_thread &t) {
  if (t.linear != ClockThread)
    ClockLooks = 0;
  ClockThread = t.linear;
  if (++ClockLooks > 32)
    ClockGain += 5000;
  return ClockGain;
}

bool BlockRun::isShared(const void *address) const {
  auto at = static_cast<const char *>(address);
  return at >= Shared && at < Dynamic + grid.shape.dynamicBytes;
}

bool BlockRun::isLocal(const void *address) const {
  const Stack *on = Loops ? LoopStack : Current ? Current->on : nullptr;
  auto at = static_cast<const char *>(address);
  if (InSteps &&
      static_cast<uint64_t>(at - StepState.frames) < StepState.frame_bytes * grid.threads)
    return true;
  return on && at >= on->low && at < on->top();
}

std::string BlockRun::whereIs(uint32_t linear) {
  if (!InSteps)
    return placeOf(Threads[linear]);
  fill(*LoopThread, linear);
  return placeOf(*LoopThread);
}

std::string BlockRun::placeOf(const gpuinstr_sim_thread &t) {
  auto three = [](const uint32_t *v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) +
           ")";
  };
  return "block " + three(t.block) + ", thread " + three(t.thread);
}

} // namespace gpuinstr::sim
