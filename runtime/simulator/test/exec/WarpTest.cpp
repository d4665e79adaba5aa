// Warp operations of embedded kernels: together, apart, with lanes that have ended.
// SPDX-License-Identifier: Apache-2.0
#include "exec/TestKernels.h"

#include <algorithm>
#include <string>

using namespace gpuinstr::sim::test;

namespace {

constexpr uint32_t Full = 0xffffffff;

/// Runs a kernel of one block of \p Threads threads that writes one number each.
class Warp : public EmbeddedTest {
protected:
  std::vector<int> results(ThreadBody Body, unsigned Threads = 32) {
    carryFibers(Body);
    OnDevice<int> Out(std::vector<int>(Threads, -1));
    expectOk(launch(dim3(1), dim3(Threads), {Out.get()}));
    expectOk(cudaDeviceSynchronize());
    return Out.read();
  }
};

int &out(gpuinstr_sim_thread *T, void *const *Args) { return argument<int *>(Args, 0)[T->linear]; }

} // namespace

TEST_F(Warp, ShuffleDownAddsUp) {
  auto Values = results(
      [](gpuinstr_sim_thread *T, void *const *Args) {
        uint32_t Sum = T->linear;
        for (uint32_t By = 16; By; By /= 2)
          Sum += T->ops->shuffle(T, GPUINSTR_SIM_DOWN, Full, Sum, By, 31, nullptr);
        out(T, Args) = static_cast<int>(Sum);
      },
      96);
  EXPECT_EQ(Values[0], 496);
  EXPECT_EQ(Values[32], 496 + 32 * 32);
  EXPECT_EQ(Values[64], 496 + 64 * 32);
}

TEST_F(Warp, ShuffleKindsAndWidths) {
  // As PTX: clamp 0x1f and segment mask 0 for width 32 (up: clamp 0); width 8 has segment 0x18.
  auto Values = results([](gpuinstr_sim_thread *T, void *const *Args) {
    uint32_t In = 0, V = 100 + T->linear;
    uint32_t Up = T->ops->shuffle(T, GPUINSTR_SIM_UP, Full, V, 3, 0, &In);
    uint32_t Ok = In;
    uint32_t Index = T->ops->shuffle(T, GPUINSTR_SIM_IDX, Full, V, 2, 0x181f, &In);
    Ok += 2 * In;
    uint32_t Fly = T->ops->shuffle(T, GPUINSTR_SIM_BFLY, Full, V, 1, 0x1f, &In);
    out(T, Args) = static_cast<int>(((Up - 100) << 24) | ((Index - 100) << 16) |
                                    ((Fly - 100) << 8) | (Ok + 4 * In));
  });
  EXPECT_EQ(Values[1], (1 << 24) | (2 << 16) | (0 << 8) | 6); // up: lane 1 keeps its own
  EXPECT_EQ(Values[13], (10 << 24) | (10 << 16) | (12 << 8) | 7);
}

TEST_F(Warp, PartsOfAWarpDoDifferentThings) {
  auto Values = results([](gpuinstr_sim_thread *T, void *const *Args) {
    uint32_t Lane = T->linear;
    if (Lane < 8) {
      out(T, Args) = static_cast<int>(T->ops->reduce(T, GPUINSTR_SIM_ADD, 0xff, Lane));
      T->ops->warp_sync(T, 0xff);
    } else if (Lane < 20) {
      out(T, Args) = static_cast<int>(T->ops->vote(T, GPUINSTR_SIM_BALLOT, 0xfff00, Lane % 2));
    } else {
      return;
    }
    T->ops->warp_sync(T, Full); // The others have ended, and are not waited for.
  });
  EXPECT_EQ(Values[0], 28);
  EXPECT_EQ(Values[7], 28);
  EXPECT_EQ(Values[8], 0xaaa00);
  EXPECT_EQ(Values[20], -1);
}

TEST_F(Warp, VotesMatchesAndReductions) {
  auto Values = results([](gpuinstr_sim_thread *T, void *const *Args) {
    uint32_t L = T->linear, Same = 9, Sum = 0;
    const gpuinstr_sim_ops &O = *T->ops;
    Sum += O.vote(T, GPUINSTR_SIM_ALL, Full, 1) == 1;
    Sum += O.vote(T, GPUINSTR_SIM_ALL, Full, L != 4) == 0;
    Sum += O.vote(T, GPUINSTR_SIM_ANY, Full, L == 4) == 1;
    Sum += O.vote(T, GPUINSTR_SIM_UNI, Full, 0) == 1;
    Sum += O.vote(T, GPUINSTR_SIM_UNI, Full, L == 4) == 0;
    Sum += O.match_any(T, Full, L % 2) == (L % 2 ? 0xaaaaaaaa : 0x55555555);
    Sum += O.match_all(T, Full, 5, &Same) == Full && Same == 1;
    Sum += O.match_all(T, Full, L, &Same) == 0 && Same == 0;
    Sum += O.reduce(T, GPUINSTR_SIM_MIN, Full, L - 5) == static_cast<uint32_t>(-5);
    Sum += O.reduce(T, GPUINSTR_SIM_UMAX, Full, L - 5) == static_cast<uint32_t>(-1);
    Sum += O.reduce(T, GPUINSTR_SIM_XOR, Full, 1u << L) == Full;
    out(T, Args) = static_cast<int>(Sum);
  });
  EXPECT_EQ(Values, std::vector<int>(32, 11));
}

TEST_F(Warp, ActiveMaskIsTheLanesThatCameTogether) {
  auto Values = results([](gpuinstr_sim_thread *T, void *const *Args) {
    uint32_t Mask = T->ops->active_mask(T, 1);
    if (Mask != Full)
      return;
    Mask = T->linear % 2 ? T->ops->active_mask(T, 2) : T->ops->active_mask(T, 3);
    // What came together can go on together.
    Mask = T->ops->vote(T, GPUINSTR_SIM_BALLOT, Mask, 1);
    T->ops->warp_sync(T, Full);
    out(T, Args) = static_cast<int>(Mask);
  });
  EXPECT_EQ(Values[0], 0x55555555);
  EXPECT_EQ(Values[1], static_cast<int>(0xaaaaaaaa));
}

TEST_F(Warp, WaitingByVotesLetsOtherWarpsRun) {
  auto Values = results(
      [](gpuinstr_sim_thread *T, void *const *Args) {
        volatile int *Flag = argument<int *>(Args, 0) + 63;
        if (T->linear == 63) {
          *Flag = 5;
        } else if (T->linear < 32) {
          while (!T->ops->vote(T, GPUINSTR_SIM_ANY, Full, *Flag == 5)) {
          }
          out(T, Args) = 1;
        }
      },
      64);
  EXPECT_EQ(Values[31], 1);
}

TEST_F(Warp, ShufflesOfManyBlocks) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    uint32_t Value = globalIndex(T);
    for (int I = 0; I < 1500; ++I)
      Value = T->ops->shuffle(T, GPUINSTR_SIM_IDX, Full, Value, (T->linear + 1) % 32, 31, nullptr);
    argument<uint32_t *>(Args, 0)[globalIndex(T)] = Value;
  });
  OnDevice<uint32_t> Out(std::vector<uint32_t>(8 * 256, 0));
  expectOk(launch(dim3(8), dim3(256), {Out.get()}));
  std::vector<uint32_t> Values = Out.read();
  for (uint32_t I = 0; I < Values.size(); ++I)
    ASSERT_EQ(Values[I], I / 32 * 32 + (I + 1500) % 32);
}
