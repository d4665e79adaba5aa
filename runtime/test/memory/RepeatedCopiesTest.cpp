// Copies that come again and again, the short way: what leaves its allocation or is freed is found
// as on the long way.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "calls/Observer.h"
#include "calls/threads/RepeatedCalls.h"
#include <gtest/gtest.h>
#include <random>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Sees all that go the long way; without a short look that is each.
struct CopyWays : Observer {
  CopyWays() : Observer(opBit(GPUINSTR_OP_COPY)) {
    addObserver(*this);
    muteObserver(*this);
  }
  void before(const Call &) override { ++calls; }
  const ShortLook *shortLook(const gpuinstr_site &) const override {
    return isForced ? nullptr : &NoLook;
  }
  bool isForced = false;
  unsigned calls = 0;
};
CopyWays &copyWays() {
  static CopyWays one; // never removed
  return one;
}

class RepeatedCopies : public testing::Test {
protected:
  void SetUp() override {
    table();
    copyWays();
    begin(false);
  }
  void TearDown() override {
    muteObserver(copyWays());
    FakeDriver::reset();
  }
  void begin(bool isForced) {
    forgetAll();
    FakeDriver::reset();
    bringCudaUp();
    copyWays().isForced = isForced;
    unmuteObserver(copyWays());
    copyWays().calls = 0;
  }
  static constexpr uint64_t Base = 0x7f0000000000, Step = 0x10000, HostBase = 0x5a0000000000;
  static constexpr uint32_t OfDriver = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER;
  static constexpr uint32_t Up = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_SRC,
                            Within = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC;
  gpuinstr_site *copyAt(unsigned line, uint32_t sides) {
    return makeSite(GPUINSTR_OP_COPY, "cuMemcpyAsync", line, 0,
                    OfDriver | GPUINSTR_SITE_ASYNC | sides,
                    bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) | bit(GPUINSTR_SLOT_BYTES));
  }
  gpuinstr_site *Malloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 100, GPUINSTR_RES_DEVICE,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  gpuinstr_site *FreeSite = makeSite(GPUINSTR_OP_FREE, "cudaFree", 101, GPUINSTR_RES_DEVICE,
                                     GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  gpuinstr_site *Upload = copyAt(102, Up), *Other = copyAt(103, Up), *Inside = copyAt(104, Within);
  Function F;

  /// How many of them go the long way.
  unsigned longOf(int count, const gpuinstr_site *site, uint64_t dst, uint64_t src,
                  uint64_t bytes) {
    copyWays().calls = 0;
    for (int i = 0; i < count; ++i)
      F.copy(site, dst, src, bytes);
    return copyWays().calls;
  }

  void anyCall(std::mt19937 &random) {
    auto below = [&](unsigned count) { return uint64_t(random() % count); };
    const uint64_t i = below(4), j = below(4), what = below(100);
    const uint64_t dst = Base + i * Step + 256 * below(2), src = Base + j * Step;
    // Now and then past the end of 4096 bytes, or with nothing to copy.
    const uint64_t bytes = below(12) ? 1024 : 2048 * below(4);
    const int result = below(30) == 0 ? 1 : 0;
    if (what < 4) {
      F.free(FreeSite, Base + i * Step);
    } else if (what < 10) {
      F.alloc(Malloc, Base + i * Step, 4096);
    } else if (what < 50) {
      F.copy(what % 2 ? Upload : Other, dst, HostBase + Step * below(2), bytes, result);
    } else if (what < 80) {
      F.copy(Inside, dst, src, bytes, result);
    } else {
      for (int k = 0; k < 20; ++k)
        F.copy(Upload, Base, HostBase, 1024);
    }
  }
  std::vector<std::string> run(unsigned seed, bool isForced) {
    begin(isForced);
    std::mt19937 random(seed);
    for (uint64_t i = 0; i < 4; ++i)
      F.alloc(Malloc, Base + i * Step, 4096);
    for (int i = 0; i < 300; ++i)
      anyCall(random);
    profile::Profile p = profileNow();
    std::vector<std::string> all = {std::to_string(p.coverage.foreign_operations)};
    for (const profile::Finding &f : p.findings)
      all.push_back(f.pattern.text() + " " + f.grade.text() + " " + f.message + " x" +
                    std::to_string(f.count) + " " + std::to_string(f.bytes));
    for (unsigned line = 102; line < 105; ++line)
      if (const profile::Site *row = siteAtLine(p, line))
        all.push_back(std::to_string(line) + ": " + std::to_string(row->calls) + " " +
                      std::to_string(row->failed) + " " + std::to_string(row->bytes));
    return all;
  }
};

TEST_F(RepeatedCopies, FindWhatTheLongWayFinds) {
  unsigned found = 0;
  for (unsigned seed = 0; seed < 72; ++seed) {
    std::vector<std::string> shortly = run(seed, false);
    const unsigned longCalls = copyWays().calls;
    EXPECT_EQ(shortly, run(seed, true)) << seed;
    EXPECT_LT(longCalls + 200, copyWays().calls) << "the short way was not taken";
    found += unsigned(shortly.size());
  }
  EXPECT_GT(found, 72u * 6) << "there was nothing to find";
}

TEST_F(RepeatedCopies, OfTheSameMemoryGoTheShortWay) {
  F.alloc(Malloc, Base, 4096);
  EXPECT_EQ(longOf(50, Upload, Base, HostBase, 1024), 1u);
  EXPECT_EQ(longOf(50, Upload, Base + 512, HostBase, 2048), 0u);
}

TEST_F(RepeatedCopies, ThatBecomeLongerAreSeen) {
  F.alloc(Malloc, Base, 4096);
  longOf(50, Upload, Base, HostBase, 4096);
  EXPECT_TRUE(findings(profileNow(), "out-of-bounds-copy").empty());
  EXPECT_EQ(longOf(1, Upload, Base, HostBase, 4097), 1u);
  EXPECT_EQ(longOf(1, Upload, Base + 1, HostBase, 4096), 1u);
  EXPECT_EQ(findings(profileNow(), "out-of-bounds-copy").at(0).count, 2u);
}

TEST_F(RepeatedCopies, IntoMemoryThatIsGoneAreSeen) {
  F.alloc(Malloc, Base, 4096);
  longOf(50, Upload, Base, HostBase, 1024);
  F.free(FreeSite, Base);
  EXPECT_EQ(longOf(3, Upload, Base, HostBase, 1024), 3u);
  EXPECT_EQ(findings(profileNow(), "copy-after-free").at(0).count, 3u);
  F.alloc(Malloc, Base, 512); // and a smaller one is there
  EXPECT_EQ(longOf(3, Upload, Base, HostBase, 1024), 3u);
  EXPECT_EQ(findings(profileNow(), "out-of-bounds-copy").at(0).count, 3u);
}

/// Memory that the ledger gets to know, or forgets, changes what the same addresses mean.
TEST_F(RepeatedCopies, FromMemoryThatIsPinnedLaterAreJudgedAnew) {
  F.alloc(Malloc, Base, 4096);
  longOf(50, Upload, Base, HostBase, 1024);
  gpuinstr_site *pin = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocHost", 105, GPUINSTR_RES_PINNED,
                                GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  F.alloc(pin, HostBase, 512);
  EXPECT_EQ(longOf(2, Upload, Base, HostBase, 1024), 2u);
  EXPECT_EQ(longOf(2, Upload, Base, HostBase, 512), 0u);
}

} // namespace
