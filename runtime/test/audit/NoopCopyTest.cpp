// noop-copy: what is proven, what is likely, what stays silent.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <chrono>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct NoopCopy : AuditTest {
  std::vector<char> host = std::vector<char>(Bytes, 7);
  char *d = nullptr;
  void SetUp() override {
    AuditTest::SetUp();
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 31 + i / 251);
    d = alloc(10);
  }
  /// Five uploads of the same bytes, with something before each.
  void loop(const std::function<void(int)> &between) {
    for (int i = 0; i < 5; ++i) {
      upload(20, d, host.data());
      between(i);
    }
  }
};

TEST_F(NoopCopy, RepeatsThatChangeNothingAreProven) {
  loop([](int) {});
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 4u);
  EXPECT_EQ(found.bytes, 4 * Bytes);
  EXPECT_EQ(found.checked, 4u);
  EXPECT_EQ(found.unchanged, 4u);
  EXPECT_EQ(found.direction.text(), "H2D");
  EXPECT_EQ(found.message, "all 4 repeats checked, all unchanged");
  EXPECT_GT(found.cost_ns, 0u);
  EXPECT_EQ(figures().verified_bytes, 4 * Bytes);
  EXPECT_EQ(figures().eligible, 4u);
}

TEST_F(NoopCopy, InsideALibrarysCallTheCopysOwnTimeCounts) {
  const gpuinstr_site *outer = site(GPUINSTR_OP_REGION, "thrust::sort", 60, 0);
  Function sorts;
  for (int i = 0; i < 5; ++i)
    sorts.call(outer, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      upload(20, d, host.data());
      return 0;
    });
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.count, 4u);
  EXPECT_LT(found.cost_ns, 4u * 4000000);
  EXPECT_LT(figures().transfer_ns, 5u * 4000000);
}

TEST_F(NoopCopy, TwoRepeatsAreNotEnough) {
  for (int i = 0; i < 3; ++i)
    upload(20, d, host.data());
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(NoopCopy, OtherBytesEachTimeAreSilent) {
  loop([&](int i) { host[size_t(i) * 1000] ^= 1; });
  EXPECT_TRUE(none("noop-copy"));
  EXPECT_EQ(figures().verified, 4u);
}

TEST_F(NoopCopy, SomeRepeatsAreAdviceWithTheFraction) {
  for (int i = 0; i < 10; ++i) {
    if (i % 3 == 2)
      host[5] ^= 1;
    upload(20, d, host.data());
  }
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(found.message, "6 of 9 repeats changed nothing");
}

/// Another part of it was written; this one holds by chance what comes.
TEST_F(NoopCopy, TheFirstCopyToAPartThatWasNeverWritten) {
  char *from = alloc(12), *to = alloc(13);
  std::memset(to, 7, Bytes);
  std::vector<char> same(Bytes, 7);
  upload(20, from, same.data());
  copyDevice(31, to, from, Bytes / 2);
  copyDevice(32, to + Bytes / 2, from + Bytes / 2, Bytes / 2);
  EXPECT_TRUE(none("noop-copy"));
  copyDevice(33, to + Bytes / 2, from, Bytes / 4); // of what lies there, something is known
  EXPECT_EQ(finding("noop-copy").grade.text(), "advice");
}

TEST_F(NoopCopy, SetsAndDeviceCopies) {
  char *e = alloc(11);
  for (int i = 0; i < 5; ++i) {
    set(30, d, 0);
    copyDevice(31, e, d);
  }
  std::vector<profile::Finding> all = findings(profileNow(), "noop-copy");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ((all[0].direction == TransferDirection::Set ? all[1] : all[0]).direction.text(), "D2D");
  EXPECT_EQ(all[0].grade.text(), "proven");
  EXPECT_EQ(all[1].grade.text(), "proven");
}

TEST_F(NoopCopy, AKernelThatOnlyReadsIsNoReason) {
  loop([&](int) { launch("reader", {parameter(Reads)}, {d}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
}

TEST_F(NoopCopy, AKernelThatMayWriteMakesItLikely) {
  loop([&](int) { launch("writer", {parameter(Reads | Writes)}, {d + 64}); });
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_NE(found.message.find("may write it"), std::string::npos) << found.message;
}

TEST_F(NoopCopy, AnUnseenBodyMayWrite) {
  loop([&](int) { launch("unseen", {parameter(Unseen)}, {d}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnAddressInsideAStruct) {
  struct {
    int n;
    char *data;
    int m;
  } view = {1, d, 2};
  loop([&](int) { launch("structWriter", {parameter(Writes, sizeof view, 2)}, {&view}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnAddressAsAnInteger) {
  loop([&](int) { launch("integer", {parameter(0, 8, 0)}, {d}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, TheEndOfTheBuffer) {
  loop([&](int) { launch("writesBackwards", {parameter(Writes)}, {d + Bytes}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnotherBufferBesideItIsNoReason) {
  char *big = alloc(12, 2 * Bytes);
  free(13, big);
  char *first = alloc(14, Bytes, GPUINSTR_RES_DEVICE, big),
       *second = alloc(15, Bytes, GPUINSTR_RES_DEVICE, big + Bytes);
  for (int i = 0; i < 5; ++i) {
    upload(21, first, host.data());
    launch("writer", {parameter(Reads | Writes)}, {second});
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
}

TEST_F(NoopCopy, AnAddressThatAKernelStoredIsWritableForGood) {
  launch("stores", {parameter(Escapes), parameter(Writes)}, {d, alloc(12)});
  loop([&](int) { launch("nothing", {}, {}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnAddressInAnUploadedTable) {
  char *table = alloc(12, 64);
  char *pointers[8] = {nullptr, d, nullptr};
  upload(22, table, pointers, 64);
  loop([&](int) { launch("followsTable", {parameter(Unseen)}, {table}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnUploadThatWasNotSearchedMayHoldAnyAddress) {
  std::vector<char> large(1 << 20, 3);
  char *table = alloc(12, 1 << 20);
  upload(22, table, large.data(), 1 << 20);
  loop([&](int) { launch("followsTable", {parameter(Unseen)}, {table}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AVisibleKernelFollowsNothing) {
  std::vector<char> large(1 << 20, 3);
  char *table = alloc(12, 1 << 20);
  upload(22, table, large.data(), 1 << 20);
  loop([&](int) { launch("writer", {parameter(Reads | Writes)}, {table}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
}

TEST_F(NoopCopy, PointersInMemoryThatTheHostWrites) {
  char *managed = alloc(12, 64, GPUINSTR_RES_MANAGED);
  loop([&](int) { launch("followsManaged", {parameter(Unseen)}, {managed}); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

// The host writes there by no call: that is no change by a repeat that nobody looked at.
TEST_F(NoopCopy, WhatTheHostWroteInManagedMemoryIsNoRepeatsChange) {
  char *managed = alloc(12, Bytes, GPUINSTR_RES_MANAGED);
  for (int round = 0; round < 6; ++round) {
    managed[7] = char(round);
    copyDevice(25, d, managed);
    copyDevice(26, managed, d);
  }
  const profile::Finding found = finding("noop-copy", "likely");
  EXPECT_EQ(found.count, 5u);
  EXPECT_EQ(found.unchanged, found.checked);
}

TEST_F(NoopCopy, LibrariesAndGraphsWriteEverything) {
  loop([&](int) { simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
  audit::forgetWaste();
  syncDevice();
  loop([&](int) { simple(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 61, 0, 0x77); });
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, AnotherCopyIntoTheRange) {
  loop([&](int) { upload(23, d + 100, &host[100], 50); });
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
}

TEST_F(NoopCopy, PartsOfALargerBufferAreTransfersOfTheirOwn) {
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 8; ++i)
      upload(24, d + i * 1024, &host[size_t(i) * 1024], 1024);
  EXPECT_TRUE(none("noop-copy")) << "each part was uploaded twice only";
}

TEST_F(NoopCopy, ManagedMemoryIsNeverProven) {
  char *managed = alloc(12, Bytes, GPUINSTR_RES_MANAGED);
  for (int i = 0; i < 5; ++i)
    upload(25, managed, host.data());
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(NoopCopy, ZeroingFreshMemoryIsNone) {
  std::vector<char> block(Bytes);
  for (int i = 0; i < 6; ++i) {
    char *fresh = alloc(26, Bytes, GPUINSTR_RES_DEVICE, block.data());
    set(27, fresh, 0);
    launch("reader", {parameter(Reads)}, {fresh});
    free(28, fresh);
  }
  EXPECT_TRUE(none("noop-copy"));
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(NoopCopy, PoolMemoryAtTheSameAddressIsNone) {
  std::vector<char> block(Bytes);
  for (int i = 0; i < 6; ++i) {
    char *fresh = alloc(26, Bytes, GPUINSTR_RES_ASYNC, block.data());
    set(27, fresh, 1);
    launch("reader", {parameter(Reads)}, {fresh});
    free(28, fresh, GPUINSTR_RES_ASYNC);
  }
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(NoopCopy, MemoryFreedUnseenAndGivenOutAgain) {
  std::vector<char> block(Bytes);
  for (int i = 0; i < 6; ++i) { // the frees are somebody else's
    char *fresh = alloc(26, Bytes, GPUINSTR_RES_DEVICE, block.data());
    set(27, fresh, 0);
  }
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(NoopCopy, ALargerAllocationOverOnesThatWereFreedUnseen) {
  std::vector<char> block(4 * Bytes);
  alloc(26, Bytes, GPUINSTR_RES_DEVICE, block.data() + 2 * Bytes);
  char *whole = alloc(27, 4 * Bytes, GPUINSTR_RES_DEVICE, block.data());
  for (int i = 0; i < 5; ++i) {
    upload(28, whole, host.data());
    launch("writer", {parameter(Reads | Writes)}, {whole + 2 * Bytes});
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely") << "the address belongs to the new one";
}

TEST_F(NoopCopy, ManySizesTakeNoMemory) {
  char *large = alloc(26, 1 << 16);
  for (uint64_t i = 1; i < 6000; ++i)
    upload(28, large, host.data(), i);
  EXPECT_LE(audit::auditor().keys.size(), 64u);
  EXPECT_LE(audit::auditor().uploads.size(), 4096u);
}

/// The same bytes before each of two kernels, others in the next round.
struct TwoLines : NoopCopy {
  void rounds(const std::function<void()> &first, const std::function<void()> &second) {
    for (int i = 0; i < 6; ++i) {
      host[size_t(i)] ^= 1;
      upload(20, d, host.data());
      first();
      upload(21, d, host.data());
      second();
    }
  }
  void read() { launch("reader", {parameter(Reads)}, {d}); }
  void write() { launch("updates", {parameter(Reads | Writes)}, {d}); }
};

TEST_F(TwoLines, TheSecondIsProven) {
  rounds([&] { read(); }, [&] { read(); });
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(siteAtLine(profileNow(), 21)->id, found.site);
  EXPECT_NE(found.fix.find(":20 has sent"), std::string::npos) << found.fix;
}

TEST_F(TwoLines, NobodyReadsInBetween) {
  rounds([] {}, [&] { read(); });
  EXPECT_EQ(finding("dead-copy").count, 6u);
  EXPECT_TRUE(none("noop-copy")) << "one of the two is needed";
}

/// One line for two buffers: it buries what was sent to one of them, and repeats itself in the
/// other.
TEST_F(TwoLines, OfAnotherBufferIsToldAsWell) {
  char *e = alloc(11);
  std::vector<char> zeroes(Bytes);
  for (int i = 0; i < 6; ++i) {
    upload(20, d, zeroes.data());
    upload(21, d, host.data());
    upload(21, e, host.data());
    read();
  }
  EXPECT_EQ(finding("dead-copy").count, 6u);
  EXPECT_EQ(finding("noop-copy").count, 5u);
}

TEST_F(TwoLines, AKernelMayWriteInBetween) {
  rounds([&] { write(); }, [&] { read(); });
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "likely");
}

TEST_F(TwoLines, OtherBytes) {
  rounds([&] { read(), host[5] ^= 1; }, [&] { read(); });
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(TwoLines, SomeoneElseWroteLast) {
  char *e = alloc(11);
  rounds([&] { read(), copyDevice(30, d, e); }, [&] { read(); });
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(TwoLines, Sets) {
  for (int i = 0; i < 6; ++i) {
    upload(20, d, host.data());
    read();
    set(30, d, 0);
    read();
    syncDevice();
    set(31, d, 0);
    read();
    syncDevice();
  }
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(siteAtLine(profileNow(), 31)->id, found.site);
}

TEST_F(TwoLines, SetsThatTheDeviceIsNotAskedAbout) {
  for (int i = 0; i < 6; ++i) {
    set(30, d, i);
    read();
    set(31, d, i);
    read();
  }
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_EQ(found.message, "all 6 repeats: set to the same value");
}

TEST_F(TwoLines, SetsToOtherValues) {
  for (int i = 0; i < 6; ++i) {
    set(30, d, 0);
    read();
    set(31, d, 1);
    read();
  }
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(NoopCopy, EveryCallerIsAFindingOfItsOwn) {
  gpuinstr_site *caller = makeCaller(70, "load");
  registerAll({caller});
  Function wrapper(caller);
  std::swap(f.frame, wrapper.frame);
  loop([](int) {});
  std::swap(f.frame, wrapper.frame);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.count, 4u);
  EXPECT_FALSE(found.caller.empty());
}

TEST_F(NoopCopy, FailedCopiesAreNothing) {
  gpuinstr_site *s = site(GPUINSTR_OP_COPY, "cudaMemcpy", 20, CopySlots);
  for (int i = 0; i < 6; ++i)
    f.copy(s, reinterpret_cast<uint64_t>(d), reinterpret_cast<uint64_t>(host.data()), Bytes, 1);
  EXPECT_TRUE(none("noop-copy"));
  EXPECT_EQ(engine.open(), 0u) << "records are given back";
}

/// In destructors behind main CUDA may be gone: an answer that is no error.
TEST_F(NoopCopy, CopiesThatComeTooLateAreNothing) {
  loop([](int) {});
  const uint64_t count = finding("noop-copy").count, copies = figures().transfers;
  gpuinstr_site *s = site(GPUINSTR_OP_COPY, "cudaMemcpy", 20, CopySlots);
  constexpr int Unloading = 4;
  for (int result : {Unloading, Unloading, 0}) {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(d);
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(host.data());
    f.frame.slot[GPUINSTR_SLOT_BYTES] = Bytes;
    f.frame.slot[GPUINSTR_SLOT_KIND] = 1;
    f.call(s, [&] { return result; });
  }
  EXPECT_EQ(finding("noop-copy").count, count + 1);
  EXPECT_EQ(figures().transfers, copies + 1);
}

/// No buffer of before the reset could have been kept.
TEST_F(NoopCopy, ResetForgetsWhatWasSent) {
  std::vector<char> data(Bytes, 7);
  data[5] = 1;
  for (int i = 0; i < 6; ++i) {
    char *memory = alloc(13);
    upload(24, memory, data.data());
    free(33, memory);
    f.call(site(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 890, 0), [] { return 0; });
  }
  EXPECT_TRUE(none("reupload"));
}

TEST_F(NoopCopy, ResetForgets) {
  loop([](int) {});
  table().reset();
  EXPECT_TRUE(none("noop-copy"));
}

} // namespace
