// Copies and sets that nothing orders prove nothing: neither is known to find what the other left.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr unsigned CopySlots = 1u << GPUINSTR_SLOT_DST | 1u << GPUINSTR_SLOT_SRC |
                               1u << GPUINSTR_SLOT_BYTES | 1u << GPUINSTR_SLOT_KIND;

struct Unordered : TwoBuffers {
  void setOften() {
    for (int i = 0; i < 5; ++i)
      set(21, d, 0);
  }
  void downloadAsync(unsigned line, char *dst, const char *src, uint64_t stream) {
    Function own;
    copyArguments(own, dst, src, 2);
    own.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    own.call(site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", line, CopySlots | 1u << GPUINSTR_SLOT_STREAM,
                  0, GPUINSTR_SITE_ASYNC),
             [] { return 0; });
  }
  /// What another thread does while this one is in a call.
  static void beside(const std::function<void()> &work) { std::thread(work).join(); }
  static void copyArguments(Function &function, char *dst, const char *src, uint64_t kind) {
    function.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    function.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
    function.frame.slot[GPUINSTR_SLOT_BYTES] = Bytes;
    function.frame.slot[GPUINSTR_SLOT_KIND] = kind;
  }
  /// A blocking upload at line 22, with something in its middle.
  void uploadAround(Function &function, const std::function<void()> &middle) {
    copyArguments(function, d, host.data(), 1);
    function.call(site(GPUINSTR_OP_COPY, "cudaMemcpy", 22, CopySlots), [&] {
      std::memcpy(d, host.data(), Bytes);
      middle();
      return 0;
    });
  }
  std::string gradeOfNoop() { return none("noop-copy") ? "" : finding("noop-copy").grade.text(); }
};

TEST_F(Unordered, AnUploadUnderWayInAnotherStreamMayComeBetween) {
  uploadAsync(20, d, host.data(), makeStream(true));
  setOften();
  EXPECT_EQ(gradeOfNoop(), "likely");
}

TEST_F(Unordered, OneThatIsDoneMayNot) {
  uint64_t stream = makeStream(true);
  uploadAsync(20, d, host.data(), stream);
  syncStream(stream);
  setOften();
  EXPECT_EQ(gradeOfNoop(), "proven");
}

TEST_F(Unordered, OneThatTheDefaultStreamWaitsForMayNot) {
  uploadAsync(20, d, host.data(), makeStream(false));
  setOften();
  EXPECT_EQ(gradeOfNoop(), "proven");
}

TEST_F(Unordered, AnotherDownloadToTheSameMemoryMayComeBetween) {
  char *back = alloc(12, Bytes, GPUINSTR_RES_PINNED);
  uint64_t stream = makeStream(true);
  downloadAsync(23, back, other, stream);
  for (int i = 0; i < 5; ++i)
    download(21, back, d);
  EXPECT_NE(gradeOfNoop(), "proven");
  syncStream(stream);
}

TEST_F(Unordered, OneThatIsDoneIsNoReason) {
  char *back = alloc(12, Bytes, GPUINSTR_RES_PINNED);
  uint64_t stream = makeStream(true);
  downloadAsync(23, back, other, stream);
  syncStream(stream);
  for (int i = 0; i < 5; ++i)
    download(21, back, d);
  EXPECT_EQ(gradeOfNoop(), "proven");
}

TEST_F(Unordered, WhatComesDuringASynchronisationIsNotOver) {
  uint64_t stream = makeStream(true);
  uploadAsync(20, other, host.data(), stream);
  f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
  f.call(site(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 900, 1u << GPUINSTR_SLOT_STREAM),
         [&] {
           beside([&] {
             Function own;
             copyArguments(own, d, host.data(), 1);
             own.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
             own.call(site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 24,
                           CopySlots | 1u << GPUINSTR_SLOT_STREAM, 0, GPUINSTR_SITE_ASYNC),
                      [] { return 0; });
           });
           return 0;
         });
  setOften();
  EXPECT_EQ(gradeOfNoop(), "likely");
}

TEST_F(Unordered, AnotherThreadsUploadOfTheSameLineMayComeBetween) {
  Function first, second;
  for (int i = 0; i < 5; ++i)
    uploadAround(first, [&] { beside([&] { uploadAround(second, [] {}); }); });
  EXPECT_NE(gradeOfNoop(), "proven");
}

TEST_F(Unordered, OneAfterTheOtherItIsProven) {
  Function first, second;
  for (int i = 0; i < 5; ++i) {
    uploadAround(first, [] {});
    beside([&] { uploadAround(second, [] {}); });
  }
  EXPECT_EQ(gradeOfNoop(), "proven");
}

} // namespace
