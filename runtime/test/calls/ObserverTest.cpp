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
  explicit Counting(uint64_t seen) : Observer(seen) {}
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

/// Asked without its table of virtual functions.
struct Direct final : Counting {
  Direct() : Counting(opBit(GPUINSTR_OP_SET_2D)) { addObserver(*this); }
  void after(const Call &) override { afters += 10; }
};

} // namespace

TEST(Observer, AnOverrideIsAskedWhateverTheObserverIsKnownAs) {
  table();
  forgetAll();
  struct Derived : Counting {
    Derived() : Counting(opBit(GPUINSTR_OP_SET_2D)) {}
    void after(const Call &) override { afters += 100; }
  };
  static Direct direct;
  static Derived derived;
  addObserver(static_cast<Counting &>(derived));
  gpuinstr_site *site = makeSite(GPUINSTR_OP_SET_2D, "cudaMemset2D", 31, 0,
                                 GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_DST));
  registerAll({site});
  Function f;
  f.call(site, [] { return 0; });
  EXPECT_EQ(direct.befores, 1);
  EXPECT_EQ(direct.afters, 10);
  EXPECT_EQ(derived.befores, 1);
  EXPECT_EQ(derived.afters, 100);
}

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
