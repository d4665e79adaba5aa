// Barriers and warp operations: who waits, who comes last, what each gets.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"

#include <cstdio>

namespace gpuinstr::sim {

namespace {

/// Warp operations before other warps get a turn: some loops wait by them.
constexpr uint32_t OperationsBetweenTurns = 1024;

uint32_t lowest(uint32_t Lanes) { return static_cast<uint32_t>(__builtin_ctz(Lanes)); }

template <typename F> void eachLane(uint32_t Lanes, F &&Body) {
  for (; Lanes; Lanes &= Lanes - 1)
    Body(lowest(Lanes));
}

/// Lane that shfl reads from, by PTX's rule; \p InRange is PTX's predicate.
uint32_t shuffleSource(uint32_t Kind, uint32_t Lane, const SimThread &T, bool &InRange) {
  uint32_t B = T.Lane & 31, C = T.Clamp & 31, Segment = (T.Clamp >> 8) & 31;
  uint32_t Max = (Lane & Segment) | (C & ~Segment), Min = Lane & Segment, From = 0;
  switch (Kind) {
  case GPUINSTR_SIM_UP:
    From = Lane - B;
    InRange = static_cast<int32_t>(From) >= static_cast<int32_t>(Max);
    break;
  case GPUINSTR_SIM_DOWN:
    From = Lane + B;
    InRange = From <= Max;
    break;
  case GPUINSTR_SIM_BFLY:
    From = Lane ^ B;
    InRange = From <= Max;
    break;
  default:
    From = Min | (B & ~Segment);
    InRange = From <= Max;
  }
  return InRange ? From : Lane;
}

uint32_t voteResult(uint32_t Kind, uint32_t Lanes, uint32_t True) {
  switch (Kind) {
  case GPUINSTR_SIM_ALL:
    return True == Lanes;
  case GPUINSTR_SIM_ANY:
    return True != 0;
  case GPUINSTR_SIM_UNI:
    return True == Lanes || !True;
  default:
    return True;
  }
}

uint32_t combine(uint32_t Kind, uint32_t A, uint32_t B) {
  switch (Kind) {
  case GPUINSTR_SIM_ADD:
    return A + B;
  case GPUINSTR_SIM_MIN:
    return static_cast<int32_t>(A) < static_cast<int32_t>(B) ? A : B;
  case GPUINSTR_SIM_MAX:
    return static_cast<int32_t>(A) > static_cast<int32_t>(B) ? A : B;
  case GPUINSTR_SIM_UMIN:
    return A < B ? A : B;
  case GPUINSTR_SIM_UMAX:
    return A > B ? A : B;
  case GPUINSTR_SIM_AND:
    return A & B;
  case GPUINSTR_SIM_OR:
    return A | B;
  default:
    return A ^ B;
  }
}

/// Computes what each lane of \p G gets. \p Lane gives the thread of a lane.
template <typename F> void finishGroup(const WarpGroup &G, F &&Lane) {
  uint32_t All = G.Arrived;
  auto Each = [&](auto &&Body) { eachLane(All, [&](uint32_t L) { Body(L, Lane(L)); }); };
  switch (G.Op) {
  case WarpOp::Sync:
    break;
  case WarpOp::Shuffle:
    Each([&](uint32_t L, SimThread &T) {
      bool InRange = false;
      uint32_t From = shuffleSource(G.Kind, L, T, InRange);
      T.Second = InRange;
      T.Result = All >> From & 1 ? Lane(From).Value : T.Value;
    });
    break;
  case WarpOp::Vote: {
    uint32_t True = 0;
    Each([&](uint32_t L, SimThread &T) { True |= T.Value ? 1u << L : 0; });
    uint32_t Result = voteResult(G.Kind, All, True);
    Each([&](uint32_t, SimThread &T) { T.Result = Result; });
    break;
  }
  case WarpOp::MatchAny:
    Each([&](uint32_t, SimThread &T) {
      T.Result = 0;
      Each([&](uint32_t L, SimThread &Other) { T.Result |= Other.Wide == T.Wide ? 1u << L : 0; });
    });
    break;
  case WarpOp::MatchAll: {
    bool Same = true;
    uint64_t First = Lane(lowest(All)).Wide;
    Each([&](uint32_t, SimThread &T) { Same &= T.Wide == First; });
    Each([&](uint32_t, SimThread &T) {
      T.Result = Same ? G.Mask : 0;
      T.Second = Same;
    });
    break;
  }
  case WarpOp::Reduce: {
    uint32_t First = lowest(All), Sum = Lane(First).Value;
    eachLane(All & ~(1u << First), [&](uint32_t L) { Sum = combine(G.Kind, Sum, Lane(L).Value); });
    Each([&](uint32_t, SimThread &T) { T.Result = Sum; });
  }
  }
}

} // namespace

void BlockRun::complete(SimWarp &W, uint32_t Warp, uint32_t Group) {
  WarpGroup G = W.Groups[Group];
  W.Groups[Group] = W.Groups[--W.GroupCount];
  SimThread *Base = &Threads[Warp * 32];
  finishGroup(G, [=](uint32_t Lane) -> SimThread & { return Base[Lane]; });
  eachLane(G.Arrived, [=](uint32_t Lane) { Base[Lane].For = Waiting::Nothing; });
  wake(Warp, G.Arrived);
  Progress = true;
}

void BlockRun::resumeFirstGroup(SimThread &T, uint32_t FirstLinear) {
  if (FirstLinear != T.linear)
    jump(&T.Context, &Threads[FirstLinear]);
}

void BlockRun::warpOperation(SimThread &T, WarpOp Op, uint32_t Kind, uint32_t Mask) {
  SimWarp &W = Warps[T.warp()];
  if (!(Mask & T.bit())) {
    char Text[96];
    std::snprintf(Text, sizeof(Text),
                  ": the mask 0x%08x of a warp operation lacks the calling lane", Mask);
    fail(CUDA_ERROR_ILLEGAL_INSTRUCTION, whereIs(T.linear) + Text);
  }
  uint32_t I = 0;
  while (I < W.GroupCount &&
         (W.Groups[I].Mask != Mask || W.Groups[I].Op != Op || W.Groups[I].Kind != Kind))
    ++I;
  if (I == W.GroupCount)
    W.Groups[W.GroupCount++] = {Op, static_cast<uint8_t>(Kind), Mask, 0};
  WarpGroup &G = W.Groups[I];
  G.Arrived |= T.bit();
  if (Mask & W.Live & ~G.Arrived) {
    T.For = Waiting::WarpOp;
    T.Mask = Mask;
    wait(T);
    return;
  }
  uint32_t First = lowest(G.Arrived);
  complete(W, T.warp(), I);
  if (InSteps)
    return;
  if (++OperationsDone % OperationsBetweenTurns == 0)
    yield(T);
  else
    resumeFirstGroup(T, T.warp() * 32 + First);
}

uint32_t BlockRun::activeMask(SimThread &T, uint32_t Site) {
  SimWarp &W = Warps[T.warp()];
  T.For = Waiting::ActiveMask;
  T.Lane = Site;
  W.Active |= T.bit();
  W.ActiveYields = 0;
  wait(T);
  return T.Result;
}

/// All other lanes wait or have ended: those at the same place as the first one continue together.
uint32_t BlockRun::releaseActive(uint32_t Warp) {
  SimWarp &W = Warps[Warp];
  SimThread *Base = &Threads[Warp * 32];
  uint32_t Site = Base[lowest(W.Active)].Lane, Lanes = 0;
  eachLane(W.Active, [&](uint32_t Lane) { Lanes |= Base[Lane].Lane == Site ? 1u << Lane : 0; });
  eachLane(Lanes, [&](uint32_t Lane) {
    Base[Lane].Result = Lanes;
    Base[Lane].For = Waiting::Nothing;
  });
  W.Active &= ~Lanes;
  wake(Warp, Lanes);
  Progress = true;
  return Lanes;
}

void BlockRun::barrier(SimThread &T, uint32_t Id, uint32_t Count, uint32_t Kind, bool Predicate,
                       bool Wait) {
  SimBarrier &B = Barriers[Id & 15];
  BarriersInUse |= 1u << (Id & 15);
  B.Count = Count;
  B.Kind = Kind;
  ++B.Arrived;
  ++(Predicate ? B.True : B.False);
  if (Wait) {
    B.Waiting[T.warp()] |= T.bit();
    T.For = Waiting::Barrier;
    T.Lane = Id & 15;
  }
  if (B.Arrived < (Count ? Count : LiveThreads)) {
    if (Wait)
      wait(T);
    return;
  }
  uint32_t First = 0;
  while (First < WarpCount && !B.Waiting[First])
    ++First;
  if (First < WarpCount)
    First = First * 32 + lowest(B.Waiting[First]);
  releaseBarrier(B);
  if (Wait)
    resumeFirstGroup(T, First);
}

void BlockRun::releaseBarrier(SimBarrier &B) {
  uint32_t Result = B.Kind == GPUINSTR_SIM_ALL   ? !B.False
                    : B.Kind == GPUINSTR_SIM_ANY ? B.True != 0
                                                 : B.True;
  for (uint32_t W = 0; W < WarpCount; ++W) {
    eachLane(B.Waiting[W], [&](uint32_t Lane) {
      Threads[W * 32 + Lane].Result = Result;
      Threads[W * 32 + Lane].For = Waiting::Nothing;
    });
    wake(W, B.Waiting[W]);
  }
  B = SimBarrier();
  BarriersInUse &= ~(1u << (&B - Barriers));
  Progress = true;
}

/// A thread of \p Warp has ended: completes the operations that waited only for it.
void BlockRun::recheck(uint32_t Warp) {
  SimWarp &W = Warps[Warp];
  for (uint32_t I = 0; I < W.GroupCount;)
    if (W.Groups[I].Mask & W.Live & ~W.Groups[I].Arrived)
      ++I;
    else
      complete(W, Warp, I);
  for (uint32_t Used = BarriersInUse; Used; Used &= Used - 1) {
    SimBarrier &B = Barriers[lowest(Used)];
    if (!B.Count && B.Arrived && B.Arrived >= LiveThreads)
      releaseBarrier(B);
  }
}

void BlockRun::describeDeadlock() {
  std::string Text = "threads of a block wait for each other for ever:";
  uint32_t Named = 0;
  std::string Last;
  for (uint32_t I = 0; I < Grid.Threads && Named < 3; ++I) {
    const SimThread &T = Threads[I];
    std::string Where;
    char Mask[16];
    std::snprintf(Mask, sizeof(Mask), "0x%08x", T.Mask);
    if (InSteps && frame(I).turn == StepState.turn + 1)
      Where = "at barrier 0";
    else if (T.For == Waiting::Barrier)
      Where = "at barrier " + std::to_string(T.Lane);
    else if (T.For == Waiting::WarpOp)
      Where = std::string("in a warp operation with mask ") + Mask;
    if (Where.empty() || Where == Last)
      continue;
    Text += (Named++ ? "; " : " ") + whereIs(I) + " " + Where;
    Last = Where;
  }
  Grid.fail(CUDA_ERROR_LAUNCH_TIMEOUT, Text);
}

} // namespace gpuinstr::sim
