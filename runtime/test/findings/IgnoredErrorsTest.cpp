// Errors that nobody asks about, and those that somebody does.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/Part.h"
#include "calls/sites/Sites.h"
#include "cuda/errors/ErrorNames.h"
#include "findings/Findings.h"
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint32_t Discarded = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_DISCARDED;

class Errors : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
  }
  gpuinstr_site *Call = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 200, 0, Discarded, CopySlots);
  gpuinstr_site *GetError = makeSite(GPUINSTR_OP_GET_ERROR, "cudaGetLastError", 201);
  Function F;
};

TEST_F(Errors, ADiscardedErrorIsIgnoredAtTheEnd) {
  F.call(Call, [] { return 1; });
  EXPECT_TRUE(profileNow().findings.empty()) << "somebody may still ask";
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].grade.text(), "proven");
  EXPECT_EQ(found[0].error, "cudaErrorInvalidValue");
  EXPECT_EQ(found[0].message,
            "cudaMemcpyAsync returned cudaErrorInvalidValue, which nobody looked at");
}

TEST_F(Errors, AskingLaterIsFine) {
  F.call(Call, [] { return 1; });
  F.call(GetError, [] { return 1; });
  auto p = profileAtExit();
  EXPECT_TRUE(p.findings.empty());
  EXPECT_EQ(siteAtLine(p, 201)->failed, 0u) << "cudaGetLastError reports, it does not fail";
}

TEST_F(Errors, AskingAndThrowingTheAnswerAwayIsNot) {
  F.call(Call, [] { return 1; });
  F.call(makeSite(GPUINSTR_OP_GET_ERROR, "cudaGetLastError", 202, 0, Discarded), [] { return 1; });
  EXPECT_EQ(findings(profileAtExit(), "ignored-error").size(), 1u);
}

/// Somebody unseen has asked before; of the driver's errors cudaGetLastError knows nothing.
TEST_F(Errors, AnAnswerThatIsThrownAwayTellsWhetherItWasTaken) {
  gpuinstr_site *asked = makeSite(GPUINSTR_OP_GET_ERROR, "cudaGetLastError", 202, 0, Discarded);
  F.call(Call, [] { return 1; });
  F.call(asked, [] { return 0; });
  EXPECT_TRUE(findings(profileAtExit(), "ignored-error").empty());
  F.call(makeSite(GPUINSTR_OP_FREE, "cuMemFree", 209, GPUINSTR_RES_DEVICE,
                  GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DISCARDED),
         [] { return 1; });
  F.call(asked, [] { return 0; });
  EXPECT_EQ(findings(profileAtExit(), "ignored-error").size(), 1u);
}

TEST_F(Errors, TheNextErrorEndsTheWait) {
  F.call(Call, [] { return 1; });
  F.call(Call, [] { return 1; });
  F.call(Call, [] { return 2; });
  F.call(GetError, [] { return 2; });
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_EQ(found[0].error, "cudaErrorInvalidValue");
}

TEST_F(Errors, AskingBehindALoopTellsOfAllThatFailedAlike) {
  gpuinstr_site *other = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 206, 0, Discarded, CopySlots);
  for (int i = 0; i < 10; ++i)
    F.call(i % 2 ? Call : other, [] { return 1; });
  F.call(GetError, [] { return 1; });
  EXPECT_TRUE(findings(profileAtExit(), "ignored-error").empty());
  for (int i = 0; i < 10; ++i)
    F.call(i % 2 ? Call : other, [] { return 1; });
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].count, 5u);
  EXPECT_EQ(found[1].count, 5u);
}

/// A fork takes the modules' lock first, then that of the list of threads.
TEST_F(Errors, WhoJudgesThemLeavesTheThreadsAlone) {
  F.call(Call, [] { return 1; });
  std::vector<FindingRecord> found;
  std::optional<SitesLock> modules(std::in_place);
  auto judged =
      std::async(std::launch::async, [&] { findingsPart().findings(found, Ending::Exit); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it waits for the modules
  auto threads = std::async(std::launch::async, threadsWithCalls);
  EXPECT_EQ(threads.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  modules.reset();
  judged.get();
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(Errors, ALostDeviceIsToldOnce) {
  constexpr int IllegalAddress = 700;
  gpuinstr_site *reset =
      makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 203, 0, GPUINSTR_SITE_CUDA_ERROR);
  F.call(reset, [] { return 0; });
  gpuinstr_site *later = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 204, 0, Discarded, CopySlots);
  for (int round = 0; round < 2; ++round) {
    F.call(Call, [] { return IllegalAddress; });
    for (int i = 0; i < 3; ++i)
      F.call(later, [] { return IllegalAddress; });
    F.call(reset, [] { return 0; });
  }
  F.call(later, [] { return 1; }); // that is another error
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_EQ(found[1].count, 1u);
}

/// Every further call says it again: one whose result the source looks at tells the program.
TEST_F(Errors, ALostDeviceIsSeenByALaterCall) {
  constexpr int LaunchFailure = 719;
  gpuinstr_site *reset =
      makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 203, 0, GPUINSTR_SITE_CUDA_ERROR);
  gpuinstr_site *checked =
      makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 207, 0, GPUINSTR_SITE_CUDA_ERROR);
  F.call(reset, [] { return 0; });
  F.call(Call, [] { return LaunchFailure; });
  F.call(checked, [] { return LaunchFailure; });
  EXPECT_TRUE(findings(profileAtExit(), "ignored-error").empty());
  F.call(reset, [] { return 0; });
  F.call(Call, [] { return LaunchFailure; });
  F.call(checked, [] { return 1; }); // that is another error
  EXPECT_EQ(findings(profileAtExit(), "ignored-error").size(), 1u);
  F.call(reset, [] { return 0; });
  F.call(Call, [] { return 1; }); // no later call tells of this one
  F.call(checked, [] { return 1; });
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 2u);
}

TEST_F(Errors, ADeviceThatCannotBeHadIsToldOnce) {
  constexpr int DevicesUnavailable = 46;
  F.call(makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 203, 0, GPUINSTR_SITE_CUDA_ERROR),
         [] { return 0; });
  gpuinstr_site *later = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 205, 0, Discarded, CopySlots);
  for (gpuinstr_site *site : {Call, later, later})
    F.call(site, [] { return DevicesUnavailable; });
  auto found = findings(profileAtExit(), "ignored-error");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].error, "cudaErrorDevicesUnavailable");
}

TEST_F(Errors, CheckedResultsAreFine) {
  F.call(makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 203), [] { return 1; });
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Errors, StatusCodesAreNoErrors) {
  for (int status : {600, 704, 712, 4})
    F.call(makeSite(GPUINSTR_OP_OTHER, "cudaStreamQuery", 204, 0, Discarded),
           [status] { return status; });
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Errors, AThreadThatEndsHasNotAsked) {
  std::thread([&] { Function().call(Call, [] { return 1; }); }).join();
  F.call(GetError, [] { return 0; }); // another thread's error is none of ours
  EXPECT_EQ(findings(profileNow(), "ignored-error").size(), 1u);
}

TEST_F(Errors, ALaunchThatDidNotStart) {
  auto *outer = makeSite(GPUINSTR_OP_LAUNCH, "saxpy<float>", 205, 0, 0);
  auto *inner = makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 902, 0,
                         GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, bit(GPUINSTR_SLOT_FUNC));
  auto launch = [&] {
    Function stub;
    F.call(outer, [&] {
      stub.call(inner, [] { return 9; });
      return 0;
    });
  };
  launch();
  F.call(GetError, [] { return 9; });
  EXPECT_TRUE(profileAtExit().findings.empty());
  launch();
  auto p = profileAtExit();
  auto found = findings(p, "failed-launch");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].error, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(found[0].site, siteAtLine(p, 205)->id);
  EXPECT_EQ(siteAtLine(p, 205)->failed, 2u);
}

TEST_F(Errors, ARegionHandlesItsOwn) {
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 206, 0, 0);
  auto *inner = makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 903, 0,
                         GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, bit(GPUINSTR_SLOT_FUNC));
  Function header;
  F.call(region, [&] {
    header.call(inner, [] { return 9; });
    return 0;
  });
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(Errors, DriverErrorsHaveTheirOwnNames) {
  F.call(makeSite(GPUINSTR_OP_OTHER, "cuMemAlloc", 207, 0,
                  GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DISCARDED),
         [] { return 1; });
  EXPECT_EQ(findings(profileAtExit(), "ignored-error")[0].error, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(errorName(0x7fffffff, false), "error 2147483647");
}

} // namespace
