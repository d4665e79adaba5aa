// Who is asked about a call.
// SPDX-License-Identifier: Apache-2.0
#include "calls/Observer.h"
#include "Support.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Counting : Observer {
  Counting() : Observer(opBit(GPUINSTR_OP_SET)) { addObserver(*this); }
  void before(const Call &) override { ++befores; }
  void after(const Call &) override { ++afters; }
  bool asked() {
    bool both = befores == 1 && afters == 1;
    EXPECT_EQ(befores, afters);
    befores = afters = 0;
    return both;
  }
  int befores = 0, afters = 0;
};

} // namespace

TEST(Observer, MutedOnesAreNotAskedHoweverManyThereAre) {
  table();
  forgetAll();
  static Counting one, other; // never removed
  gpuinstr_site *site = makeSite(GPUINSTR_OP_SET, "cudaMemset", 30, 0, GPUINSTR_SITE_CUDA_ERROR,
                                 bit(GPUINSTR_SLOT_DST));
  registerAll({site});
  Function f;
  auto call = [&] { f.call(site, [] { return 0; }); };
  call();
  EXPECT_TRUE(one.asked());
  EXPECT_TRUE(other.asked());
  muteObserver(one);
  call();
  EXPECT_FALSE(one.asked());
  EXPECT_TRUE(other.asked());
  muteObserver(other);
  call();
  EXPECT_FALSE(one.asked());
  EXPECT_FALSE(other.asked());
  unmuteObserver(one);
  call();
  EXPECT_TRUE(one.asked());
  EXPECT_FALSE(other.asked());
}
