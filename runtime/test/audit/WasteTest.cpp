// The findings that are not noop-copy: each with what it is, and with what it is not.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "cuda/AttachedTools.h"
#include "options/FailOn.h"
#include "options/Options.h"
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Waste : VariedBytes {};

TEST_F(Waste, ASetBeforeAFullUploadIsDead) {
  char *d = alloc(10);
  for (int i = 0; i < 3; ++i) {
    host[0] = char(i);
    set(20, d, 0);
    upload(21, d, host.data());
    read(d);
  }
  profile::Finding found = finding("dead-copy");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_EQ(found.count, 3u);
  EXPECT_EQ(found.bytes, 3 * Bytes);
  profile::Profile profile = profileNow();
  EXPECT_EQ(siteAtLine(profile, 20)->id, found.site);
  EXPECT_EQ(siteAtLine(profile, 21)->id, found.related);
}

TEST_F(Waste, WhatIsReadIsNotDead) {
  char *d = alloc(10);
  for (int i = 0; i < 3; ++i) {
    set(20, d, 0);
    read(d);
    upload(21, d, host.data());
    download(22, host.data(), d, 16); // a part is enough
  }
  upload(21, d, host.data());
  simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60);
  free(23, d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Waste, APartDoesNotBuryTheWhole) {
  char *d = alloc(10);
  set(20, d, 0);
  upload(21, d, host.data(), Bytes / 2);
  read(d);
  free(23, d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Waste, AKernelThatOnlyWritesReadsNothingAndBuriesNothing) {
  char *d = alloc(10);
  set(20, d, 0);
  launch("writesOnly", {parameter(Writes)}, {d});
  read(d);
  free(23, d);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Waste, AReaderThatWasRunningAllAlong) {
  char *d = alloc(10);
  uint64_t stream = makeStream(true);
  launch("reader", {parameter(Reads)}, {d}, stream); // it polls
  set(20, d, 1);
  set(21, d, 0);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Waste, FreedUnread) {
  char *d = alloc(10);
  upload(21, d, host.data());
  free(23, d);
  EXPECT_EQ(finding("dead-copy").count, 1u);
}

TEST_F(Waste, NeverUsed) {
  alloc(10);
  char *freed = alloc(11);
  free(12, freed);
  std::vector<profile::Finding> all = findings(profileNow(), "unused-allocation");
  ASSERT_EQ(all.size(), 2u);
  for (const profile::Finding &finding : all) {
    EXPECT_EQ(finding.grade.text(), "likely");
    EXPECT_EQ(finding.bytes, Bytes);
  }
}

TEST_F(Waste, UsesOfAllKinds) {
  char *inStruct = alloc(10), *inTable = alloc(11), *inLaunch = alloc(12), *table = alloc(13, 64),
       *copied = alloc(14), *exported = alloc(15);
  struct {
    char *data;
    long n;
  } view = {inStruct, 1};
  launch("structReader", {parameter(Reads, sizeof view, 2)}, {&view});
  char *pointers[8] = {inTable};
  upload(20, table, pointers, 64);
  read(inLaunch + 5);
  set(21, copied, 0, 1);
  simple(GPUINSTR_OP_EXPORT, "cudaIpcGetMemHandle", 22, 0, reinterpret_cast<uint64_t>(exported));
  EXPECT_TRUE(none("unused-allocation"));
}

TEST_F(Waste, WhatALibraryGotNobodyKnows) {
  alloc(10);
  simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60);
  EXPECT_TRUE(none("unused-allocation"));
  alloc(11); // after the call
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

TEST_F(Waste, MakingAndEndingAHandleAreCallsOfALibrary) {
  for (uint16_t detail : {1, 2}) {
    char *d = alloc(10);
    uint64_t handle = 0x700;
    f.frame.slot[GPUINSTR_SLOT_DST] = detail == 1 ? reinterpret_cast<uint64_t>(&handle) : handle;
    f.call(site(GPUINSTR_OP_LIBRARY, "cublas", 61 + detail, bit(GPUINSTR_SLOT_DST),
                GPUINSTR_RES_CUBLAS, 0, detail),
           [] { return 0; });
    EXPECT_TRUE(none("unused-allocation")) << detail;
    free(12, d);
  }
}

TEST_F(Waste, AllocatedAndFreedAgainAndAgain) {
  for (int i = 0; i < 4; ++i) {
    char *d = alloc(10);
    read(d);
    free(11, d);
  }
  profile::Finding found = finding("alloc-churn");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 4u);
  EXPECT_EQ(found.bytes, 4 * Bytes);
  EXPECT_GT(found.cost_ns, 0u);
}

TEST_F(Waste, APoolIsAdvisedForMemoryThatItsOwnCanReplace) {
  for (unsigned resource : {GPUINSTR_RES_DEVICE, GPUINSTR_RES_MANAGED, GPUINSTR_RES_PINNED}) {
    TearDown();
    SetUp();
    for (int i = 0; i < 4; ++i) {
      char *d = alloc(100 + resource, Bytes, resource);
      read(d);
      free(200 + resource, d, resource);
    }
    profile::Finding found = finding("alloc-churn");
    EXPECT_EQ(found.count, 4u) << resource;
    EXPECT_NE(found.fix.find("once, before the loop"), std::string::npos) << found.fix;
    EXPECT_EQ(found.fix.find("cudaMallocAsync") != std::string::npos,
              resource == GPUINSTR_RES_DEVICE)
        << found.fix;
  }
}

TEST_F(Waste, NoChurn) {
  for (int i = 0; i < 4; ++i) { // two at a time
    char *a = alloc(10), *b = alloc(10);
    read(a), read(b);
    free(11, a), free(11, b);
  }
  for (int i = 0; i < 4; ++i) { // each of another size
    char *d = alloc(12, 4096 + uint64_t(i) * 256);
    read(d);
    free(13, d);
  }
  for (int i = 0; i < 4; ++i) { // of a pool
    char *d = alloc(14, Bytes, GPUINSTR_RES_ASYNC);
    read(d);
    free(15, d, GPUINSTR_RES_ASYNC);
  }
  EXPECT_TRUE(none("alloc-churn"));
}

TEST_F(Waste, TheSameBytesIntoEverNewBuffers) {
  for (int i = 0; i < 6; ++i) {
    char *d = alloc(10);
    upload(20, d, host.data());
    read(d);
    free(21, d);
  }
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 5u) << "the first is the record";
  EXPECT_EQ(siteAtLine(profileNow(), 21)->id, found.related);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Waste, ReuploadsOfAPoolAreLikely) {
  std::vector<char> block(Bytes);
  for (int i = 0; i < 6; ++i) {
    char *d = alloc(10, Bytes, GPUINSTR_RES_ASYNC, block.data());
    upload(20, d, host.data());
    read(d);
    free(21, d, GPUINSTR_RES_ASYNC);
  }
  EXPECT_EQ(finding("reupload").grade.text(), "likely");
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Waste, NoReupload) {
  for (int i = 0; i < 6; ++i) { // modified before it was freed
    char *d = alloc(10);
    upload(20, d, host.data());
    launch("writer", {parameter(Reads | Writes)}, {d});
    free(21, d);
  }
  for (int i = 0; i < 6; ++i) { // other bytes
    char *d = alloc(11);
    host[9] = char(i);
    upload(22, d, host.data());
    read(d);
    free(23, d);
  }
  EXPECT_TRUE(none("reupload"));
}

TEST_F(Waste, NoReuploadOfWhatUnseenCodeChanged) {
  for (int i = 0; i < 6; ++i) {
    char *d = alloc(12);
    upload(24, d, host.data());
    read(d);
    d[7] = char(~d[7]);
    free(25, d);
  }
  EXPECT_TRUE(none("reupload"));
}

TEST_F(Waste, NoReuploadOfWhatUnseenCodePutThere) {
  for (int i = 0; i < 6; ++i) {
    char *d = alloc(12);
    host[9] = char(i);
    upload(24, d, host.data());
    read(d);
    d[9] = char(i + 1); // as the next upload will bring
    free(25, d);
  }
  EXPECT_TRUE(none("reupload"));
}

TEST_F(Waste, ACopyOntoItselfIsANoopAtOnce) {
  char *d = alloc(10), *other = alloc(11);
  upload(20, d, host.data());
  copyDevice(21, other, d);
  EXPECT_TRUE(none("noop-copy"));
  copyDevice(22, d, d);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(finding("noop-copy").count, 1u);
}

TEST_F(Waste, CopiesOntoThemselvesAndOthersOfTheLineAreCountedOnce) {
  char *d = alloc(10), *other = alloc(11);
  upload(20, d, host.data());
  copyDevice(21, other, d);
  for (int i = 0; i < 5; ++i)
    copyDevice(22, d, d);
  for (int i = 0; i < 2; ++i)
    copyDevice(22, d, other);
  EXPECT_EQ(finding("noop-copy").count, 5u);
}

TEST_F(Waste, AChangeBetweenTwoLooksIsSeen) {
  start("audit=sampled:budget=100");
  char *d = alloc(10);
  auto repeat = [&](int times) {
    for (int i = 0; i < times; ++i)
      upload(20, d, host.data());
  };
  repeat(400);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  auto repeatUpToALook = [&] {
    const uint64_t looks = figures().verified;
    for (int i = 0; i < 5000 && figures().verified == looks; ++i)
      repeat(1);
    ASSERT_NE(figures().verified, looks) << "nothing is looked at any more";
  };
  ASSERT_NO_FATAL_FAILURE(repeatUpToALook()); // the next ones are not looked at
  host[7] ^= 1;
  repeat(1);
  ASSERT_NO_FATAL_FAILURE(repeatUpToALook());
  EXPECT_EQ(finding("noop-copy").grade.text(), "advice") << "by what the next look finds there";
}

TEST_F(Waste, TheSameBytesFromTwoLinesOnce) {
  char *d = alloc(10);
  upload(20, d, host.data());
  host[3] ^= 1;
  upload(21, d, host.data());
  EXPECT_TRUE(none("reupload")) << "other bytes";
  upload(22, d, host.data());
  EXPECT_EQ(finding("reupload").grade.text(), "proven");
  EXPECT_EQ(finding("reupload").count, 1u);
  EXPECT_EQ(finding("reupload").message.rfind("its one repeat checked, unchanged", 0), 0u);
}

TEST_F(Waste, BytesThatUnseenCodePutThereWereNotSent) {
  char *d = alloc(10);
  upload(20, d, host.data());
  host[3] ^= 1;
  d[3] = host[3]; // in device memory, by nobody that we see
  upload(22, d, host.data());
  EXPECT_EQ(finding("reupload").grade.text(), "likely");
}

TEST_F(Waste, TheSameBytesAfterTheirBufferGotOthersAndWasFreed) {
  for (bool writes : {false, true}) {
    start("audit=full");
    char *first = alloc(10), *second = alloc(11);
    upload(20, first, host.data());
    if (writes)
      launch("writer", {parameter(Reads | Writes)}, {first});
    host[3] ^= 1;
    upload(20, first, host.data());
    free(12, first);
    host[3] ^= 1;
    upload(22, second, host.data());
    if (writes)
      EXPECT_TRUE(none("reupload")) << "the first buffer had not kept them";
    else
      EXPECT_EQ(finding("reupload").grade.text(), "advice") << "two buffers may be what is wanted";
  }
}

TEST_F(Waste, TheSameBytesAfterAKernelWroteAreNeeded) {
  char *d = alloc(10);
  upload(20, d, host.data());
  launch("writer", {parameter(Reads | Writes)}, {d});
  upload(21, d, host.data());
  EXPECT_TRUE(none("reupload"));
}

TEST_F(Waste, TheFirstDownloadOfWhatWasSent) {
  char *d = alloc(10), *e = alloc(11);
  std::vector<char> other(host);
  upload(20, d, host.data());
  launch("reader", {parameter(Reads)}, {d});
  download(21, host.data(), d);
  EXPECT_EQ(finding("roundtrip").grade.text(), "proven");
  EXPECT_EQ(finding("roundtrip").count, 1u);
  start("audit=full");
  e = alloc(11);
  upload(22, e, other.data());
  launch("writer", {parameter(Reads | Writes)}, {e});
  download(23, other.data(), e);
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(Waste, ADownloadThatIsRepeatedOnceIsNoRoundTrip) {
  start("audit=full");
  char *d = alloc(10);
  launch("writer", {parameter(Reads | Writes)}, {d});
  download(21, host.data(), d);
  download(21, host.data(), d);
  EXPECT_TRUE(none("roundtrip")) << "nothing was ever sent";
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely") << "proven takes three repeats";
  EXPECT_EQ(finding("noop-copy").count, 1u);
  EXPECT_EQ(finding("noop-copy").message, "its one repeat checked, unchanged");
}

TEST_F(Waste, TwoBuffersWithTheSameBytes) {
  char *a = alloc(10), *b = alloc(11);
  upload(20, a, host.data());
  upload(20, b, host.data());
  read(a), read(b);
  profile::Finding found = finding("duplicate-buffer");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.bytes, Bytes);
  free(12, a);
  EXPECT_EQ(finding("duplicate-buffer").count, 1u) << "they held the same to the end";
}

TEST_F(Waste, BuffersThatGoTheirOwnWays) {
  char *a = alloc(10), *b = alloc(11), *c = alloc(12);
  upload(20, a, host.data());
  upload(20, b, host.data());
  launch("writer", {parameter(Reads | Writes)}, {b});
  host[1] ^= 1; // a staging buffer with other bytes
  upload(20, c, host.data());
  EXPECT_TRUE(none("duplicate-buffer"));
  free(13, b);
  EXPECT_TRUE(none("duplicate-buffer"));
}

TEST_F(Waste, AsynchronousFromOrdinaryMemory) {
  char *d = alloc(10), *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  uint64_t stream = makeStream(false);
  for (int i = 0; i < 3; ++i)
    uploadAsync(20, d, host.data(), stream);
  EXPECT_EQ(finding("pageable-async").count, 3u);
  for (int i = 0; i < 3; ++i) {
    uploadAsync(21, d, pinned, stream);
    upload(22, d, host.data());
  }
  EXPECT_EQ(findings(profileNow(), "pageable-async").size(), 1u);
}

TEST_F(Waste, ProvenWasteCanFailARun) {
  char *d = alloc(10);
  for (int i = 0; i < 5; ++i)
    upload(20, d, host.data());
  profile::Profile profile = profileNow();
  for (const char *name : {"waste", "proven", "noop-copy"})
    EXPECT_TRUE(options::mustFail(profile, {name})) << name;
  EXPECT_FALSE(options::mustFail(profile, {"bugs"}));
  EXPECT_FALSE(options::mustFail(profile, {"alloc-churn"}));
}

TEST_F(Waste, ACommentAtTheLineSuppresses) {
  char *d = alloc(10);
  site(GPUINSTR_OP_COPY, "cudaMemcpy", 777, CopySlots)->ignore = "noop-copy the flag is needed";
  for (int i = 0; i < 5; ++i)
    upload(777, d, host.data());
  EXPECT_TRUE(finding("noop-copy").suppressed);
  EXPECT_FALSE(options::mustFail(profileNow(), {"waste"}));
}

TEST_F(Waste, BesideAnotherToolTheAuditIsOff) {
  // Another process: this one audits fully.
  EXPECT_EXIT(
      {
        setenv("CUDA_INJECTION64_PATH", "/opt/tool.so", 1);
        options::Options &o = const_cast<options::Options &>(options::options());
        o.audit = options::AuditMode::Sampled;
        audit::resetAuditor();
        char *d = alloc(10);
        for (int i = 0; i < 5; ++i)
          upload(20, d, host.data());
        profile::Profile profile = profileNow();
        bool said = false;
        for (const std::string &note : profile.coverage.notes)
          said |=
              note.find("audit: off beside tool.so in CUDA_INJECTION64_PATH") != std::string::npos;
        _exit(said && engine.hashes == 0 && profile.coverage.audit.mode == profile::AuditDepth::Off
                  ? 0
                  : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// The spool's thread may ask while a first call decides: what that writes must not be read then.
TEST_F(Waste, NothingIsSaidBeforeTheAuditorHasDecided) {
  audit::auditor().note = "half";
  EXPECT_EQ(audit::auditNotes().size(), 0u);
  audit::auditor().decided = true;
  EXPECT_EQ(audit::auditNotes().size(), 1u);
}

TEST(AttachedTool, IsNamedByItsLibrary) {
  auto toolIn = [](const char *variable, const char *path) {
    setenv(variable, path, 1);
    std::string tool = cuda::attachedTool().name;
    unsetenv(variable);
    return tool;
  };
  EXPECT_EQ(toolIn("CUDA_INJECTION64_PATH", "/opt/nsight/libToolsInjection64.so"),
            "Nsight Systems (CUDA_INJECTION64_PATH)");
  EXPECT_EQ(toolIn("NVTX_INJECTION64_PATH", "/opt/ncu/libcuda-injection.so"),
            "Nsight Compute (NVTX_INJECTION64_PATH)");
  EXPECT_EQ(toolIn("CUDA_INJECTION64_PATH", "libmine.so"), "libmine.so in CUDA_INJECTION64_PATH");
  // What some images set for every process: nobody listens there.
  EXPECT_EQ(toolIn("NVTX_INJECTION64_PATH", "/usr/lib/libcupti.so.13"), "");
}

} // namespace
