// Uploads and sets that kernels overwrite unread: what they leave, what they read, what comes in
// between. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

namespace gpuinstr::test {

namespace {

constexpr uint8_t Regularly = Writes | GPUINSTR_ACCESS_REGULAR;

struct Overwritten : VariedBytes {
  char *d = nullptr, *other = nullptr;
  std::vector<char> back = std::vector<char>(Bytes);
  void SetUp() override {
    VariedBytes::SetUp();
    d = alloc(10);
    other = alloc(11);
    std::memset(other, 1, Bytes);
  }
  /// Other bytes than those that were uploaded, from there to there.
  void change(char *at, uint64_t from = 0, uint64_t to = Bytes) {
    for (uint64_t i = from; i < to; ++i)
      at[i] = char(host[i] + 1 + char(i % 5));
  }
  /// Each is a kernel of its own: parameters belong to a name.
  void write(uint64_t from = 0, uint64_t to = Bytes, uint64_t stream = 0) {
    launch("overwrites", {parameter(Regularly)}, {d}, stream);
    change(d, from, to);
  }
  void freeAfterWait() {
    syncDevice();
    free(30, d);
  }
  std::string grade() { return finding("dead-copy").grade.text(); }
};

TEST_F(Overwritten, ByAKernelAndDownloaded) {
  upload(20, d, host.data());
  write();
  download(21, back.data(), d);
  profile::Finding found = finding("dead-copy");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.bytes, Bytes);
  EXPECT_NE(found.message.find("the kernel at"), std::string::npos) << found.message;
}

TEST_F(Overwritten, EachTimeButToldOnce) {
  for (int i = 0; i < 2; ++i) {
    host[0] = char(i);
    upload(20, d, host.data());
    write();
    download(21, back.data(), d);
    download(21, back.data(), d);
  }
  EXPECT_EQ(finding("dead-copy").count, 2u);
}

TEST_F(Overwritten, Sets) {
  set(20, d, 0);
  write();
  for (uint64_t i = 0; i < Bytes; ++i)
    d[i] |= 1;
  download(21, back.data(), d);
  EXPECT_EQ(grade(), "likely");
}

TEST_F(Overwritten, AllButTheEnds) {
  upload(20, d, host.data());
  write(16, Bytes - 16);
  download(21, back.data(), d);
  EXPECT_EQ(grade(), "advice");
}

/// As a stencil leaves the first and the last row.
TEST_F(Overwritten, AllButARim) {
  upload(20, d, host.data());
  write(4096, Bytes - 4096);
  download(21, back.data(), d);
  EXPECT_EQ(grade(), "advice");
}

TEST_F(Overwritten, EqualElementsAreToldOnce) {
  std::fill(host.begin(), host.end(), char(0));
  upload(20, d, host.data());
  write();
  download(21, back.data(), d);
  EXPECT_TRUE(none("uniform-upload"));
  EXPECT_EQ(grade(), "likely");
  // What the kernel left may be needed: then that is best set on the device.
  upload(22, other, host.data());
  launch("overwritesOther", {parameter(Regularly)}, {other});
  change(other, 16, Bytes - 16);
  download(21, back.data(), other);
  EXPECT_TRUE(none("uniform-upload"));
  EXPECT_EQ(finding("dead-copy", "advice").count, 1u);
  EXPECT_EQ(finding("dead-copy", "advice").fix,
            "write only what the kernel leaves, if it leaves any, on the device with cudaMemset or "
            "cuMemsetD32");
}

TEST_F(Overwritten, AHalf) {
  upload(20, d, host.data());
  write(0, Bytes / 2);
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, WhereMemorySays) {
  upload(20, d, host.data());
  launch("scatters", {parameter(Writes)}, {d});
  change(d);
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, InPlace) {
  upload(20, d, host.data());
  launch("updates", {parameter(Regularly | Reads)}, {d});
  change(d);
  download(21, back.data(), d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, ReadByACopyFirst) {
  upload(20, d, host.data());
  copyDevice(22, other, d);
  write();
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, PartlyByACopy) {
  upload(20, d, host.data());
  copyDevice(22, d + 64, other, 256);
  write();
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, ReadOnlyOnceItWasOverwritten) {
  upload(20, d, host.data());
  write();
  read(d);
  freeAfterWait();
  EXPECT_EQ(grade(), "likely");
}

TEST_F(Overwritten, ReadOnceItWasOverwrittenAndDownloaded) {
  upload(20, d, host.data());
  for (int i = 0; i < 3; ++i) {
    write();
    read(d);
    download(21, back.data(), d);
  }
  EXPECT_EQ(grade(), "likely");
  EXPECT_EQ(finding("dead-copy").count, 1u);
}

/// All of it in each round, from which the next kernel reads.
TEST_F(Overwritten, ByTheSameLaunchEachRound) {
  upload(20, d, host.data());
  for (int i = 0; i < 5; ++i) {
    write();
    read(d);
  }
  download(21, back.data(), d);
  EXPECT_EQ(grade(), "likely");
}

/// What the first one left, the reader read.
TEST_F(Overwritten, ByOtherLaunchesEachRound) {
  upload(20, d, host.data());
  for (uint64_t half = 0; half < Bytes; half += Bytes / 2) {
    launch("writesHalf", {parameter(Regularly)}, {d + half});
    read(d);
  }
  change(d);
  download(21, back.data(), d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, ByTwoLaunchesEachRound) {
  upload(20, d, host.data());
  for (int i = 0; i < 3; ++i) {
    for (uint64_t half = 0; half < Bytes; half += Bytes / 2)
      launch("writesHalf", {parameter(Regularly)}, {d + half});
    read(d);
  }
  change(d);
  download(21, back.data(), d);
  EXPECT_EQ(grade(), "likely");
}

TEST_F(Overwritten, ReadByAnAsynchronousCopyBetweenTwoLaunches) {
  upload(20, d, host.data());
  launch("writesHalf", {parameter(Regularly)}, {d});
  downloadAsync(21, back.data(), d, 0);
  launch("writesHalf", {parameter(Regularly)}, {d + Bytes / 2});
  change(d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, ReadBeforeAndDownloaded) {
  upload(20, d, host.data());
  read(d);
  write();
  read(d);
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

/// By default. Less has too few elements: kernels may write such a flag or sum in some cases only.
TEST_F(Overwritten, OfAKilobyteAndMore) {
  for (uint64_t bytes : {1500, 900}) {
    start("audit=sampled:budget=100");
    char *small = alloc(12, bytes);
    upload(22, small, host.data(), bytes);
    launch("overwritesSmall", {parameter(Regularly)}, {small});
    change(small, 0, bytes);
    download(23, back.data(), small, bytes);
    EXPECT_EQ(none("dead-copy"), bytes < 1024) << bytes;
  }
}

TEST_F(Overwritten, ReadBefore) {
  upload(20, d, host.data());
  read(d);
  write();
  read(d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, OverwrittenAgainAfterTheRead) {
  upload(20, d, host.data());
  launch("nothingYet", {parameter(Regularly)}, {d}); // leaves all of it
  read(d);
  write();
  read(d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, BothParametersOfOneLaunch) {
  upload(20, d, host.data());
  launch("writesAndReads", {parameter(Regularly), parameter(Reads)}, {d, d});
  change(d);
  read(d);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, ReadOnAnotherStream) {
  upload(20, d, host.data());
  write(0, Bytes, makeStream(true));
  launch("reader", {parameter(Reads)}, {d}, makeStream(true)); // maybe before it
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, OnAnotherStreamBehindAnUploadThatBlocks) {
  makeStream(true);
  uint64_t stream = makeStream(true);
  upload(20, d, host.data());
  write(0, Bytes, stream);
  launch("reader", {parameter(Reads)}, {d}, stream);
  freeAfterWait();
  EXPECT_EQ(grade(), "likely");
}

TEST_F(Overwritten, OnAnotherStreamBesideAnUploadThatDoesNot) {
  uint64_t stream = makeStream(true), other = makeStream(true);
  uploadAsync(20, d, host.data(), other);
  write(0, Bytes, stream); // maybe before it
  launch("reader", {parameter(Reads)}, {d}, stream);
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Overwritten, AnEarlierBufferThatLivesIsNotCalledFreed) {
  upload(20, d, host.data());
  std::vector<char> same = host; // elsewhere: else they are duplicates
  upload(22, other, same.data());
  std::string message = finding("reupload").message;
  EXPECT_NE(message.find("were sent before at"), std::string::npos) << message;
  EXPECT_EQ(message.find("freed"), std::string::npos) << message;
}

/// A buffer is cleared in each round, for nothing.
struct OverwrittenInALoop : Overwritten {
  template <class Work> void rounds(int count, Work work) {
    rounds(count, work, [] {});
  }
  template <class Work, class Before> void rounds(int count, Work work, Before beforeTheKernel) {
    for (int i = 0; i < count; ++i) {
      set(20, d, 0);
      beforeTheKernel();
      launch("overwrites", {parameter(Regularly)}, {d});
      work(i);
      read(d);
      syncDevice();
    }
  }
  void fill(uint64_t bytes) { std::memset(d, 3, bytes); }
};

TEST_F(OverwrittenInALoop, TwoLooksStandForAll) {
  rounds(12, [&](int) { fill(Bytes); });
  freeAfterWait();
  profile::Finding found = finding("dead-copy");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_GE(found.count, 11u);
  EXPECT_LE(found.count, 12u);
  EXPECT_EQ(found.counted, found.checked);
  EXPECT_NE(found.message.find(" looked at"), std::string::npos) << found.message;
}

TEST_F(OverwrittenInALoop, NeverFreed) {
  rounds(12, [&](int) { fill(Bytes); });
  EXPECT_EQ(grade(), "likely");
  EXPECT_GE(finding("dead-copy").count, 10u);
}

TEST_F(OverwrittenInALoop, CopiedBehindTheKernel) {
  rounds(12, [&](int) {
    fill(Bytes);
    copyDevice(22, other, d);
  });
  freeAfterWait();
  EXPECT_EQ(grade(), "likely");
  EXPECT_GE(finding("dead-copy").count, 11u);
}

TEST_F(OverwrittenInALoop, CopiedBeforeTheKernel) {
  rounds(
      12, [&](int) { fill(Bytes); }, [&] { copyDevice(22, other, d); });
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

/// No kernel reads it: an asynchronous download has what the kernel wrote.
TEST_F(OverwrittenInALoop, OnlyDownloadedBehindTheKernel) {
  for (int i = 0; i < 12; ++i) {
    set(20, d, 0);
    launch("overwrites", {parameter(Regularly)}, {d});
    fill(Bytes);
    downloadAsync(21, back.data(), d, 0);
    syncDevice();
  }
  freeAfterWait();
  EXPECT_EQ(grade(), "likely");
  EXPECT_GE(finding("dead-copy").count, 11u);
}

TEST_F(OverwrittenInALoop, OnlyDownloadedBeforeTheKernel) {
  for (int i = 0; i < 12; ++i) {
    set(20, d, 0);
    downloadAsync(21, back.data(), d, 0);
    launch("overwrites", {parameter(Regularly)}, {d});
    fill(Bytes);
    syncDevice();
  }
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

/// At the next set, the round's upload is under way already: behind the wait nothing is.
TEST_F(OverwrittenInALoop, LookedAtBehindTheWait) {
  uint64_t stream = makeStream(false);
  std::vector<char> batch(Bytes, 5);
  for (int i = 0; i < 12; ++i) {
    batch[0] = char(i);
    uploadAsync(24, other, batch.data(), stream);
    set(20, d, 0);
    launch("overwrites", {parameter(Regularly)}, {d});
    fill(Bytes);
    read(d);
    syncDevice();
  }
  EXPECT_EQ(grade(), "likely");
  EXPECT_GE(finding("dead-copy").count, 10u);
}

TEST_F(OverwrittenInALoop, LessAndLessOfIt) {
  rounds(12, [&](int i) { fill(Bytes - uint64_t(i) * (Bytes / 12)); });
  freeAfterWait();
  EXPECT_NE(grade(), "likely");
}

TEST_F(OverwrittenInALoop, MoreAndMoreOfIt) {
  rounds(12, [&](int i) { fill(uint64_t(i + 1) * (Bytes / 12)); });
  freeAfterWait();
  EXPECT_LE(finding("dead-copy").count, 1u) << "the last round's";
}

TEST_F(OverwrittenInALoop, ReadFirst) {
  rounds(
      12, [&](int) { fill(Bytes); }, [&] { read(d); });
  freeAfterWait();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(OverwrittenInALoop, NotInEachRound) {
  rounds(5, [&](int) { fill(Bytes); });
  for (int i = 0; i < 12; ++i) { // what is set now, is read
    set(20, d, 0);
    read(d);
    syncDevice();
  }
  freeAfterWait();
  EXPECT_LE(finding("dead-copy").count, 5u);
}

TEST_F(Overwritten, SomethingUnseenInBetween) {
  upload(20, d, host.data());
  simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60);
  write();
  download(21, back.data(), d);
  EXPECT_TRUE(none("dead-copy"));
}

} // namespace

} // namespace gpuinstr::test
