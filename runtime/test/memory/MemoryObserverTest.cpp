// The ledger and what is found with it: leaks, frees, copies, out of memory.
// SPDX-License-Identifier: Apache-2.0
#include "MemoryCalls.h"
#include "ledger/Ledger.h"
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

class Memory : public MemoryCalls {
protected:
  gpuinstr_site *Copy =
      makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 102, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots, "d_x");
};

TEST_F(Memory, ALeakIsProvenWhenTheDriverStillKnowsIt) {
  F.alloc(Malloc, Base, 4096);
  F.alloc(Malloc, Base + 0x10000, 4096);
  auto p = profileAtExit();
  auto leaks = findings(p, "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "proven");
  EXPECT_EQ(leaks[0].count, 2u);
  EXPECT_EQ(leaks[0].bytes, 8192u);
  EXPECT_EQ(leaks[0].variable, "d_x");
  EXPECT_EQ(leaks[0].type, "float");
  EXPECT_EQ(leaks[0].elements, 1024u);
  EXPECT_EQ(leaks[0].memory.text(), "device");
  EXPECT_EQ(leaks[0].site, siteAtLine(p, 100)->id);
  EXPECT_NE(leaks[0].message.find("never freed"), std::string::npos);
  EXPECT_EQ(FakeDriver::CallsNotRelaxed.load(), 0);
  EXPECT_EQ(FakeDriver::CaptureMode, 0) << "not restored";
}

TEST_F(Memory, OperationsOnMemoryOfOthersAreCounted) {
  F.alloc(Malloc, Base, 4096);
  constexpr uint64_t Host = 0x1000, Foreign = Base + 0x100000;
  F.frame.slot[GPUINSTR_SLOT_KIND] = 1; // host to device
  F.copy(Copy, Base, Host, 4096);
  EXPECT_EQ(profileNow().coverage.foreign_operations, 0u) << "host memory is everybody's";
  for (int i = 0; i < 3; ++i)
    F.copy(Copy, Foreign, Host, 64);
  F.frame.slot[GPUINSTR_SLOT_KIND] = 2; // device to host
  F.copy(Copy, Host, Foreign, 64);
  F.copy(Copy, Host, Base, 64);
  EXPECT_EQ(profileNow().coverage.foreign_operations, 4u);
  F.frame.slot[GPUINSTR_SLOT_KIND] = 4; // the pointers decide
  F.copy(Copy, Host, Foreign, 64);
  EXPECT_EQ(profileNow().coverage.foreign_operations, 4u);
}

TEST_F(Memory, FreedMemoryIsNoLeak) {
  F.alloc(Malloc, Base, 4096);
  F.free(FreeSite, Base);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, WhatUnseenCodeFreedIsNoLeak) {
  F.alloc(Malloc, Base, 4096);
  FakeDriver::free(Base); // by code that is not instrumented
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, WithoutAnAnswerALeakIsLikely) {
  F.alloc(Malloc, Base, 4096);
  FakeDriver::Answers = false; // no context, or CUDA already gone
  auto leaks = findings(profileAtExit(), "leak");
  FakeDriver::Answers = true;
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "likely");
}

TEST_F(Memory, AnotherAllocationAtTheSamePlaceIsNoLeakOfOurs) {
  F.alloc(Malloc, Base, 4096);
  FakeDriver::free(Base);
  FakeDriver::alloc(Base, 4096); // another id
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, AnAddressHandedOutAgainReplacesWhatWeBelieved) {
  F.alloc(Malloc, Base, 4096);
  FakeDriver::free(Base);
  F.alloc(Malloc, Base + 1024, 1024); // overlaps
  F.free(FreeSite, Base + 1024);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, AFreeAfterTeardownIsAFree) {
  F.alloc(Malloc, Base, 4096);
  F.free(FreeSite, Base, 4); // cudaErrorCudartUnloading
  auto p = profileAtExit();
  EXPECT_TRUE(p.findings.empty());
  EXPECT_EQ(siteAtLine(p, 101)->failed, 0u);
}

TEST_F(Memory, FreeOfNullIsFine) {
  F.free(FreeSite, 0);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, FreesPairByAddressNotByFunction) {
  auto *async = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocAsync", 103, GPUINSTR_RES_ASYNC,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots | bit(GPUINSTR_SLOT_STREAM));
  F.alloc(async, Base, 512);
  F.free(FreeSite, Base);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, MemoryOfAGraphIsNoLeak) {
  auto *async = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocAsync", 104, GPUINSTR_RES_ASYNC,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots | bit(GPUINSTR_SLOT_STREAM));
  F.frame.slot[GPUINSTR_SLOT_STREAM] = 0x5000;
  FakeDriver::Capturing = true;
  F.alloc(async, Base, 512);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, TheRestOfADestroyedPoolIsNoLeak) {
  auto *async = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocFromPoolAsync", 105, GPUINSTR_RES_ASYNC,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots | bit(GPUINSTR_SLOT_FUNC));
  auto *create = makeSite(GPUINSTR_OP_CREATE, "cudaMemPoolCreate", 106, GPUINSTR_RES_POOL,
                          GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_DST));
  auto *destroy = makeSite(GPUINSTR_OP_DESTROY, "cudaMemPoolDestroy", 107, GPUINSTR_RES_POOL,
                           GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_DST));
  F.alloc(create, 0x9000, 0);
  F.frame.slot[GPUINSTR_SLOT_FUNC] = 0x9000;
  F.alloc(async, Base, 512);
  F.free(destroy, 0x9000);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Memory, StreamsAndEventsLeakByTheLedgerAlone) {
  auto *create = makeSite(GPUINSTR_OP_CREATE, "cudaStreamCreate", 108, GPUINSTR_RES_STREAM,
                          GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_DST), "s");
  F.alloc(create, 0xabc0, 0);
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "proven");
  EXPECT_EQ(leaks[0].memory.text(), "stream");
  EXPECT_EQ(leaks[0].bytes, 0u);
}

uint64_t GlobalPointer;

TEST_F(Memory, WhatAGlobalHoldsIsNoLeak) {
  GlobalPointer = Base + 128; // inside, as an arena keeps it
  F.alloc(Malloc, Base, 4096);
  auto p = profileAtExit();
  GlobalPointer = 0;
  EXPECT_TRUE(findings(p, "leak").empty());
  auto held = findings(p, "held-at-exit");
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].grade.text(), "information");
  EXPECT_EQ(held[0].bytes, 4096u);
}

TEST_F(Memory, ARegisteredPoolHoldsItsMemory) {
  F.alloc(Malloc, Base, 4096);
  table().pool_alloc(&GlobalPointer, reinterpret_cast<void *>(Base + 256), 64);
  auto p = profileAtExit();
  EXPECT_TRUE(findings(p, "leak").empty());
  EXPECT_EQ(findings(p, "held-at-exit").size(), 1u);
  std::string notes;
  for (const std::string &note : p.coverage.notes)
    notes += note + "\n";
  EXPECT_NE(notes.find("1 pieces never given back"), std::string::npos) << notes;
  table().pool_free(&GlobalPointer, reinterpret_cast<void *>(Base + 256));
}

TEST_F(Memory, IgnoredAndNamedAllocations) {
  F.alloc(Malloc, Base, 64);
  F.alloc(Malloc, Base + 0x1000, 64);
  table().ignore(reinterpret_cast<void *>(Base));
  table().name(reinterpret_cast<void *>(Base + 0x1000), "lookup table");
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].variable, "lookup table");
}

TEST_F(Memory, LeaksGroupByCallerAndShowItsVariable) {
  auto *member = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 119, GPUINSTR_RES_DEVICE,
                          GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "this->data");
  gpuinstr_site *weights = makeCaller(120, "Buffer", "weights"),
                *bias = makeCaller(121, "Buffer", "bias");
  weights->flags = bias->flags = GPUINSTR_SITE_RECEIVES; // Buffer weights(64)
  Function a(weights), b(bias), c(makeCaller(122, "setup", "unrelated"));
  a.alloc(member, Base, 64);
  b.alloc(member, Base + 0x1000, 128);
  c.alloc(Malloc, Base + 0x2000, 256); // a local variable of the function that allocates
  auto p = profileAtExit();
  auto leaks = findings(p, "leak");
  ASSERT_EQ(leaks.size(), 3u);
  EXPECT_EQ(leaks[0].variable, "weights");
  EXPECT_EQ(leaks[0].caller, siteAtLine(p, 120)->id);
  EXPECT_EQ(leaks[1].variable, "bias");
  EXPECT_EQ(leaks[1].site, leaks[0].site);
  EXPECT_EQ(leaks[2].variable, "d_x");
}

TEST_F(Memory, SourceCommentsSuppress) {
  auto *site = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 122, GPUINSTR_RES_DEVICE,
                        GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  site->ignore = "leak lives for good";
  F.alloc(site, Base, 64);
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_TRUE(leaks[0].suppressed);
  EXPECT_EQ(leaks[0].suppression, "gpuinstr-ignore: leak lives for good");
}

TEST_F(Memory, MarkAndLeaksSince) {
  F.alloc(Malloc, Base, 64);
  uint64_t mark = table().mark(), bytes = 0;
  F.alloc(Malloc, Base + 0x1000, 100);
  F.alloc(Malloc, Base + 0x2000, 100);
  F.free(FreeSite, Base + 0x1000);
  EXPECT_EQ(table().leaks_since(mark, &bytes), 1u);
  EXPECT_EQ(bytes, 100u);
}

TEST_F(Memory, DoubleFreeNeedsAnErrorFromCuda) {
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base);
  auto *second = makeSite(GPUINSTR_OP_FREE, "cudaFree", 124, GPUINSTR_RES_DEVICE,
                          GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  F.free(second, Base, 1);
  auto p = profileNow();
  auto found = findings(p, "double-free");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].grade.text(), "proven");
  EXPECT_EQ(found[0].error, "cudaErrorInvalidValue");
  EXPECT_EQ(found[0].site, siteAtLine(p, 124)->id);
  EXPECT_EQ(found[0].variable, "d_x") << "what was freed, not what the call spells";
  EXPECT_EQ(found[0].related, siteAtLine(p, 101)->id);
}

TEST_F(Memory, AnErrorOfAnEarlierKernelIsNoInvalidFree) {
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base, 700);
  EXPECT_TRUE(findings(profileNow(), "invalid-free").empty());
  EXPECT_TRUE(findings(profileNow(), "double-free").empty());
}

TEST_F(Memory, AFreeInsideAnAllocationIsInvalid) {
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base + 16, 1);
  ASSERT_EQ(findings(profileNow(), "invalid-free").size(), 1u);
  EXPECT_EQ(ledger().snapshot().size(), 1u) << "the allocation lives on";
}

TEST_F(Memory, AFreeOnOneThreadDoesNotTakeAnAllocationOfAnother) {
  F.alloc(Malloc, Base, 64);
  Function other;
  F.frame.slot[GPUINSTR_SLOT_DST] = Base;
  F.call(FreeSite, [&] {
    FakeDriver::free(Base);
    // CUDA hands the address out before our leave is reached.
    std::thread([&] { Function().alloc(Malloc, Base, 128); }).join();
    return 0;
  });
  ASSERT_EQ(ledger().snapshot().size(), 1u);
  EXPECT_EQ(ledger().snapshot()[0].bytes, 128u);
}

TEST_F(Memory, ACopyPastTheEndIsFoundBeforeTheCall) {
  F.alloc(Malloc, Base, 64);
  F.copy(Copy, Base, 0x1234, 64);
  F.copy(Copy, Base + 32, 0x1234, 32);
  EXPECT_TRUE(profileNow().findings.empty());
  F.copy(Copy, Base + 32, 0x1234, 33, 1);
  auto found = findings(profileNow(), "out-of-bounds-copy");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].grade.text(), "proven");
  EXPECT_NE(found[0].message.find("1 B past the end of an allocation of 64 B"), std::string::npos)
      << found[0].message;
}

TEST_F(Memory, TheDriverKnowsBetterThanTheLedger) {
  F.alloc(Malloc, Base, 64);
  FakeDriver::free(Base);
  FakeDriver::alloc(Base, 256); // unseen
  F.copy(Copy, Base, 0x1234, 200);
  EXPECT_TRUE(findings(profileNow(), "out-of-bounds-copy").empty());
}

TEST_F(Memory, ContiguousMappingsAreOneRange) {
  auto *map = makeSite(GPUINSTR_OP_ALLOC, "cuMemMap", 125, GPUINSTR_RES_MAPPING,
                       GPUINSTR_SITE_CU_RESULT, AllocSlots);
  for (uint64_t i = 0; i < 2; ++i) {
    F.frame.slot[GPUINSTR_SLOT_DST] = Base + i * 4096;
    F.frame.slot[GPUINSTR_SLOT_BYTES] = 4096;
    F.call(map, [] { return 0; });
    FakeDriver::alloc(Base + i * 4096, 4096);
  }
  F.copy(Copy, Base, 0x1234, 8192);
  EXPECT_TRUE(profileNow().findings.empty());
  F.copy(Copy, Base, 0x1234, 8193, 1);
  EXPECT_EQ(findings(profileNow(), "out-of-bounds-copy").size(), 1u);
}

TEST_F(Memory, PitchedExtentEndsWithTheLastRow) {
  auto *copy2D = makeSite(GPUINSTR_OP_COPY_2D, "cudaMemcpy2D", 126, 0, GPUINSTR_SITE_CUDA_ERROR,
                          CopySlots | bit(GPUINSTR_SLOT_HEIGHT) | bit(GPUINSTR_SLOT_DPITCH) |
                              bit(GPUINSTR_SLOT_SPITCH));
  F.alloc(Malloc, Base, 3 * 512 + 100);
  F.frame.slot[GPUINSTR_SLOT_HEIGHT] = 4;
  F.frame.slot[GPUINSTR_SLOT_DPITCH] = 512;
  F.frame.slot[GPUINSTR_SLOT_SPITCH] = 100;
  F.copy(copy2D, Base, 0x1234, 100);
  auto p = profileNow();
  EXPECT_TRUE(p.findings.empty());
  EXPECT_EQ(siteAtLine(p, 126)->bytes, 400u);
  F.copy(copy2D, Base, 0x1234, 101);
  EXPECT_EQ(findings(profileNow(), "out-of-bounds-copy").size(), 1u);
}

TEST_F(Memory, ACopyToFreedMemoryNeedsTheDriversWord) {
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base);
  FakeDriver::alloc(Base, 64); // unseen: somebody else has it
  F.copy(Copy, Base, 0x1234, 8);
  EXPECT_TRUE(profileNow().findings.empty());
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base);
  F.copy(Copy, Base + 8, 0x1234, 8, 1);
  auto p = profileNow();
  auto found = findings(p, "copy-after-free");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].related, siteAtLine(p, 101)->id);
}

TEST_F(Memory, FreedAddressesThatTheHostCanReadAreNotAccused) {
  static char ordinary[64];
  uint64_t address = reinterpret_cast<uint64_t>(ordinary);
  F.alloc(Malloc, address, 64);
  F.free(FreeSite, address);
  F.copy(Copy, address, Base, 8);
  EXPECT_TRUE(findings(profileNow(), "copy-after-free").empty());
}

TEST_F(Memory, BehindRegisteredMemoryIsOrdinaryMemory) {
  auto *reg = makeSite(GPUINSTR_OP_ALLOC, "cudaHostRegister", 127, GPUINSTR_RES_REGISTERED,
                       GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  F.frame.slot[GPUINSTR_SLOT_DST] = Base;
  F.frame.slot[GPUINSTR_SLOT_BYTES] = 4096;
  F.call(reg, [] { return 0; });
  FakeDriver::alloc(Base, 4096);
  F.copy(Copy, 0x1234, Base, 8192);
  EXPECT_TRUE(profileNow().findings.empty());
}

TEST_F(Memory, OutOfMemoryNamesTheHolders) {
  F.alloc(Malloc, Base, 5000);
  F.alloc(Malloc, Base + 0x10000, 7000);
  FakeDriver::Free = 123;
  auto *big = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 128, GPUINSTR_RES_DEVICE,
                       GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  F.alloc(big, 0, 1 << 20, 2);
  auto found = findings(profileNow(), "out-of-memory");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].grade.text(), "information");
  EXPECT_EQ(found[0].bytes, 1u << 20);
  ASSERT_EQ(found[0].holders.size(), 1u);
  EXPECT_EQ(found[0].holders[0].bytes, 12000u);
  EXPECT_EQ(found[0].holders[0].count, 2u);
  EXPECT_NE(found[0].message.find("123 B were free"), std::string::npos) << found[0].message;
}

TEST_F(Memory, ThePeakKnowsItsHolders) {
  auto *other = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 129, GPUINSTR_RES_DEVICE,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_y");
  F.alloc(Malloc, Base, 1000);
  F.alloc(other, Base + 0x1000, 300);
  F.free(FreeSite, Base);
  F.alloc(other, Base + 0x2000, 900); // 1200: below the peak of 1300
  auto p = profileNow();
  ASSERT_FALSE(p.devices.empty()); // other tests may have seen more
  EXPECT_EQ(p.devices[0].peak_bytes, 1300u);
  EXPECT_EQ(p.devices[0].name, "Fake GPU");
  ASSERT_EQ(p.peak_holders.size(), 2u);
  EXPECT_EQ(p.peak_holders[0].bytes, 1000u);
  EXPECT_EQ(p.peak_holders[1].bytes, 300u);
  EXPECT_EQ(p.peak_holders[1].variable, "d_y");
}

/// The only row of this variable.
profile::Allocations rowOf(const profile::Profile &p, const std::string &variable) {
  profile::Allocations row;
  for (const profile::Allocations &one : p.allocations)
    if (one.variable == variable) {
      EXPECT_EQ(row.count, 0u) << "two rows of " << variable;
      row = one;
    }
  return row;
}

TEST_F(Memory, EachSitesAllocationsOverTheWholeRun) {
  gpuinstr_site *pinned = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocHost", 130, GPUINSTR_RES_PINNED,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "h_x", "float");
  Function other(makeCaller(131, "step")); // led here, and gives no name
  uint64_t most = 0;
  for (int i = 0; i < 4; ++i) {
    Function &f = i % 2 ? F : other;
    f.alloc(Malloc, Base, 100 + unsigned(i));
    f.alloc(Malloc, Base + 0x1000, 200);
    most = 300 + unsigned(i);
    F.free(FreeSite, Base + 0x1000);
    F.free(FreeSite, Base);
  }
  F.alloc(Malloc, Base + 0x2000, 50);
  F.alloc(Malloc, Base + 0x3000, 60, 2); // out of memory
  F.alloc(pinned, Base + 0x4000, 5000);
  auto p = profileNow();
  profile::Allocations row = rowOf(p, "d_x");
  EXPECT_EQ(row.count, 9u);
  EXPECT_EQ(row.bytes, 4 * 300u + 6 + 50);
  EXPECT_EQ(row.peak_bytes, most);
  EXPECT_EQ(row.live_count, 1u);
  EXPECT_EQ(row.live_bytes, 50u);
  EXPECT_EQ(row.memory.text(), "device");
  EXPECT_EQ(row.device, 0);
  EXPECT_EQ(row.site, siteAtLine(p, 100)->id);
  EXPECT_EQ(row.caller, "");
  EXPECT_EQ(p.allocations[0].variable, "h_x") << "largest first";
  EXPECT_EQ(p.allocations[0].memory.text(), "pinned");
  EXPECT_EQ(p.devices[0].peak_bytes, most) << "pinned memory is none of the device's";
}

TEST_F(Memory, AllocationsOfAWrapperAreTheirCallers) {
  gpuinstr_site *inner = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 140, GPUINSTR_RES_DEVICE,
                                  GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "this->data", "float");
  gpuinstr_site *weights = makeCaller(141, "Buffer", "weights"),
                *bias = makeCaller(142, "Buffer", "bias");
  weights->flags = bias->flags = GPUINSTR_SITE_RECEIVES; // Buffer weights(64)
  Function a(weights), b(bias);
  a.alloc(inner, Base, 64);
  b.alloc(inner, Base + 0x1000, 32);
  F.free(FreeSite, Base);
  auto p = profileNow();
  EXPECT_EQ(rowOf(p, "weights").caller, siteAtLine(p, 141)->id);
  EXPECT_EQ(rowOf(p, "weights").live_bytes, 0u);
  EXPECT_EQ(rowOf(p, "bias").live_bytes, 32u);
}

TEST_F(Memory, WhatUnseenCodeFreedIsNotLiveAtExit) {
  F.alloc(Malloc, Base, 4096);
  F.alloc(Malloc, Base + 0x1000, 100);
  FakeDriver::free(Base);
  EXPECT_EQ(rowOf(profileAtExit(), "d_x").live_bytes, 100u);
}

TEST_F(Memory, MemoryOfAGraphIsInNoRow) {
  gpuinstr_site *async =
      makeSite(GPUINSTR_OP_ALLOC, "cudaMallocAsync", 150, GPUINSTR_RES_ASYNC,
               GPUINSTR_SITE_CUDA_ERROR, AllocSlots | bit(GPUINSTR_SLOT_STREAM), "d_g");
  F.frame.slot[GPUINSTR_SLOT_STREAM] = 0x55;
  FakeDriver::Capturing = true;
  F.alloc(async, Base, 4096);
  FakeDriver::Capturing = false;
  EXPECT_TRUE(profileNow().allocations.empty());
  F.alloc(async, Base + 0x1000, 64);
  EXPECT_EQ(rowOf(profileNow(), "d_g").bytes, 64u);
}

} // namespace
