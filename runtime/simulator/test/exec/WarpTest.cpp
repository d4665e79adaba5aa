// Warp operations of embedded kernels: together, apart, with lanes that have ended.
// SPDX-License-Identifier: Apache-2.0
#include "exec/TestKernels.h"

#include <algorithm>
#include <string>

using namespace gpuinstr::sim::test;

namespace {

constexpr uint32_t Full = 0xffffffff;

/// Runs a kernel of one block of \p threads threads that writes one number each.
class Warp : public EmbeddedTest {
protected:
  std::vector<int> results(ThreadBody body, unsigned threads = 32) {
    carryFibers(body);
    OnDevice<int> out(std::vector<int>(threads, -1));
    expectOk(launch(dim3(1), dim3(threads), {out.get()}));
    expectOk(cudaDeviceSynchronize());
    return out.read();
  }
};

int &out(gpuinstr_sim_thread *t, void *const *args) { return argument<int *>(args, 0)[t->linear]; }

} // namespace

TEST_F(Warp, ShuffleDownAddsUp) {
  auto values = results(
      [](gpuinstr_sim_thread *t, void *const *args) {
        uint32_t sum = t->linear;
        for (uint32_t by = 16; by; by /= 2)
          sum += t->ops->shuffle(t, GPUINSTR_SIM_DOWN, Full, sum, by, 31, nullptr);
        out(t, args) = static_cast<int>(sum);
      },
      96);
  EXPECT_EQ(values[0], 496);
  EXPECT_EQ(values[32], 496 + 32 * 32);
  EXPECT_EQ(values[64], 496 + 64 * 32);
}

TEST_F(Warp, ShuffleKindsAndWidths) {
  // As PTX: clamp 0x1f and segment mask 0 for width 32 (up: clamp 0); width 8 has segment 0x18.
  auto values = results([](gpuinstr_sim_thread *t, void *const *args) {
    uint32_t in = 0, v = 100 + t->linear;
    uint32_t up = t->ops->shuffle(t, GPUINSTR_SIM_UP, Full, v, 3, 0, &in);
    uint32_t ok = in;
    uint32_t index = t->ops->shuffle(t, GPUINSTR_SIM_IDX, Full, v, 2, 0x181f, &in);
    ok += 2 * in;
    uint32_t fly = t->ops->shuffle(t, GPUINSTR_SIM_BFLY, Full, v, 1, 0x1f, &in);
    out(t, args) = static_cast<int>(((up - 100) << 24) | ((index - 100) << 16) |
                                    ((fly - 100) << 8) | (ok + 4 * in));
  });
  EXPECT_EQ(values[1], (1 << 24) | (2 << 16) | (0 << 8) | 6); // up: lane 1 keeps its own
  EXPECT_EQ(values[13], (10 << 24) | (10 << 16) | (12 << 8) | 7);
}

TEST_F(Warp, PartsOfAWarpDoDifferentThings) {
  auto values = results([](gpuinstr_sim_thread *t, void *const *args) {
    uint32_t lane = t->linear;
    if (lane < 8) {
      out(t, args) = static_cast<int>(t->ops->reduce(t, GPUINSTR_SIM_ADD, 0xff, lane));
      t->ops->warp_sync(t, 0xff);
    } else if (lane < 20) {
      out(t, args) = static_cast<int>(t->ops->vote(t, GPUINSTR_SIM_BALLOT, 0xfff00, lane % 2));
    } else {
      return;
    }
    t->ops->warp_sync(t, Full); // The others have ended, and are not waited for.
  });
  EXPECT_EQ(values[0], 28);
  EXPECT_EQ(values[7], 28);
  EXPECT_EQ(values[8], 0xaaa00);
  EXPECT_EQ(values[20], -1);
}

TEST_F(Warp, VotesMatchesAndReductions) {
  auto values = results([](gpuinstr_sim_thread *t, void *const *args) {
    uint32_t l = t->linear, same = 9, sum = 0;
    const gpuinstr_sim_ops &o = *t->ops;
    sum += o.vote(t, GPUINSTR_SIM_ALL, Full, 1) == 1;
    sum += o.vote(t, GPUINSTR_SIM_ALL, Full, l != 4) == 0;
    sum += o.vote(t, GPUINSTR_SIM_ANY, Full, l == 4) == 1;
    sum += o.vote(t, GPUINSTR_SIM_UNI, Full, 0) == 1;
    sum += o.vote(t, GPUINSTR_SIM_UNI, Full, l == 4) == 0;
    sum += o.match_any(t, Full, l % 2) == (l % 2 ? 0xaaaaaaaa : 0x55555555);
    sum += o.match_all(t, Full, 5, &same) == Full && same == 1;
    sum += o.match_all(t, Full, l, &same) == 0 && same == 0;
    sum += o.reduce(t, GPUINSTR_SIM_MIN, Full, l - 5) == static_cast<uint32_t>(-5);
    sum += o.reduce(t, GPUINSTR_SIM_UMAX, Full, l - 5) == static_cast<uint32_t>(-1);
    sum += o.reduce(t, GPUINSTR_SIM_XOR, Full, 1u << l) == Full;
    out(t, args) = static_cast<int>(sum);
  });
  EXPECT_EQ(values, std::vector<int>(32, 11));
}

TEST_F(Warp, ActiveMaskIsTheLanesThatCameTogether) {
  auto values = results([](gpuinstr_sim_thread *t, void *const *args) {
    uint32_t mask = t->ops->active_mask(t, 1);
    if (mask != Full)
      return;
    mask = t->linear % 2 ? t->ops->active_mask(t, 2) : t->ops->active_mask(t, 3);
    // What came together can go on together.
    mask = t->ops->vote(t, GPUINSTR_SIM_BALLOT, mask, 1);
    t->ops->warp_sync(t, Full);
    out(t, args) = static_cast<int>(mask);
  });
  EXPECT_EQ(values[0], 0x55555555);
  EXPECT_EQ(values[1], static_cast<int>(0xaaaaaaaa));
}

TEST_F(Warp, WaitingByVotesLetsOtherWarpsRun) {
  auto values = results(
      [](gpuinstr_sim_thread *t, void *const *args) {
        volatile int *flag = argument<int *>(args, 0) + 63;
        if (t->linear == 63) {
          *flag = 5;
        } else if (t->linear < 32) {
          while (!t->ops->vote(t, GPUINSTR_SIM_ANY, Full, *flag == 5)) {
          }
          out(t, args) = 1;
        }
      },
      64);
  EXPECT_EQ(values[31], 1);
}

TEST_F(Warp, ShufflesOfManyBlocks) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    uint32_t value = globalIndex(t);
    for (int i = 0; i < 1500; ++i)
      value = t->ops->shuffle(t, GPUINSTR_SIM_IDX, Full, value, (t->linear + 1) % 32, 31, nullptr);
    argument<uint32_t *>(args, 0)[globalIndex(t)] = value;
  });
  OnDevice<uint32_t> out(std::vector<uint32_t>(8 * 256, 0));
  expectOk(launch(dim3(8), dim3(256), {out.get()}));
  std::vector<uint32_t> values = out.read();
  for (uint32_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], i / 32 * 32 + (i + 1500) % 32);
}
