// The sections of waste and advice, and what the totals say of them.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;
using profile::Finding;
using profile::Profile;
using report::render;
using report::ReportStyle;

namespace {

Finding noop(const char *grade) {
  Finding f = makeFinding("noop-copy", grade, "00000000000000a6", "d_weights", 1670000000, 399);
  f.source = "h_weights";
  f.direction = profile::TransferDirection::HostToDevice;
  f.checked = f.unchanged = 392;
  f.cost_ns = 152000000;
  f.message = "392 of 399 repeats checked, all unchanged";
  f.fix = "copy once before the loop, or only after h_weights changes";
  return f;
}

Profile with(std::vector<Finding> findings) {
  Profile p = trainProfile();
  p.findings = std::move(findings);
  return p;
}

TEST(WasteReport, AnEstimatedAmountHasItsMark) {
  Finding f = noop("proven");
  f.counted = 12;
  std::string text = render(with({f}), {});
  EXPECT_NE(text.find(" ~1.67 GB x~399  d_weights"), std::string::npos) << text;
}

TEST(WasteReport, ProvenWasteHasItsSectionWithProofAndFix) {
  std::string text = render(with({noop("proven")}), {});
  EXPECT_NE(text.find("RESULT  1 waste (up to 152 ms, 6.6 %) | own cost"), std::string::npos)
      << text;
  EXPECT_NE(text.find("WASTE [proven]\n"
                      " noop-copy      1.67 GB x399  d_weights <- h_weights H2D  train.cu:131  "
                      "upload  <=152 ms\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  392 of 399 repeats checked, all unchanged\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  fix: copy once before the loop, or only after h_weights changes\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("suppress: noop-copy:upload |"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY: gpuinstr: 1 noop-copy (1.67 GB, <=152 ms)\n"), std::string::npos)
      << text;
}

TEST(WasteReport, BugsComeFirstAndBothCount) {
  std::string text = render(
      with({noop("proven"), makeFinding("leak", "proven", "00000000000000a1", "d", 8, 1)}), {});
  EXPECT_NE(text.find("RESULT  1 bug, 1 waste (up to 152 ms, 6.6 %)"), std::string::npos) << text;
  EXPECT_LT(text.find("BUGS [proven]"), text.find("WASTE [proven]"));
  EXPECT_NE(text.find("SUMMARY: gpuinstr: 1 leak (8 B), 1 noop-copy (1.67 GB, <=152 ms)"),
            std::string::npos)
      << text;
}

TEST(WasteReport, OneCopyTakesItsTimeOnce) {
  Finding again = noop("proven");
  again.pattern = profile::Pattern::Roundtrip;
  std::string text = render(with({noop("proven"), again}), {});
  EXPECT_NE(text.find("2 waste (up to 152 ms"), std::string::npos) << text;
}

TEST(WasteReport, LikelyWasteDoesNotCount) {
  std::string text = render(with({noop("likely")}), {});
  EXPECT_NE(text.find("RESULT  clean, 1 likely"), std::string::npos) << text;
  EXPECT_EQ(text.find("WASTE"), std::string::npos);
  EXPECT_NE(text.find("LIKELY 1  not counted"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY: gpuinstr: clean, 1 likely"), std::string::npos);
}

TEST(WasteReport, AdviceIsANumberUntilItIsAskedFor) {
  Profile p = with({makeFinding("pageable-async", "advice", "00000000000000a3", "d_w", 4096, 6)});
  p.findings[0].fix = "allocate the host side with cudaMallocHost";
  std::string text = render(p, {});
  EXPECT_NE(text.find("RESULT  clean | own"), std::string::npos) << text;
  EXPECT_NE(text.find("LIKELY 0   ADVICE 1 (verbose=1)   SUPPRESSED 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("pageable-async"), std::string::npos) << text;
  ReportStyle verbose;
  verbose.verbose = true;
  text = render(p, verbose);
  EXPECT_NE(text.find("  not counted: each has a cost"), std::string::npos) << text;
  EXPECT_NE(text.find(" pageable-async  4.10 kB x6  d_w  cudaMemcpyAsync  train.cu:152  upload\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("fix: allocate the host side"), std::string::npos) << text;
}

TEST(WasteReport, AdviceThatCostsMuchIsNoMereNumber) {
  Finding churn = makeFinding("alloc-churn", "advice", "00000000000000a1", "d", 8, 100);
  Finding sync = makeFinding("needless-sync", "advice", "00000000000000a3", "", 0, 100);
  churn.cost_ns = 105000000, sync.cost_ns = 20000000; // of 2.3 s
  std::string text = render(with({sync, churn}), {});
  EXPECT_NE(text.find("ADVICE 2, <=125 ms, most alloc-churn (verbose=1)   SUPPRESSED 0"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find(" alloc-churn  "), std::string::npos) << text;
  expectFits(text);
  churn.cost_ns = sync.cost_ns = 1000;
  text = render(with({sync, churn}), {});
  EXPECT_NE(text.find("ADVICE 2 (verbose=1)"), std::string::npos) << text;
}

TEST(WasteReport, AdviceOfAPartOfTheRunIsShownUnasked) {
  Finding churn = makeFinding("alloc-churn", "advice", "00000000000000a1", "d", 8, 100);
  Finding sync = makeFinding("needless-sync", "advice", "00000000000000a3", "", 0, 100);
  churn.cost_ns = 205000000, sync.cost_ns = 20000000; // of 2.3 s
  sync.message = "nothing was pending", churn.message = "freed and allocated again";
  std::string text = render(with({sync, churn}), {});
  std::size_t heading =
      text.find("ADVICE 1 of 2  not counted: may save 5 % of the run or more each");
  EXPECT_NE(heading, std::string::npos) << text;
  EXPECT_GT(text.find(" alloc-churn  "), heading) << text;
  EXPECT_NE(text.find("freed and allocated again"), std::string::npos) << text;
  EXPECT_EQ(text.find(" needless-sync  "), std::string::npos) << text;
  EXPECT_NE(text.find("ADVICE 2, <=225 ms, most alloc-churn (verbose=1)"), std::string::npos);
  EXPECT_NE(text.find("RESULT  clean"), std::string::npos) << text; // it does not count
  expectFits(text);
  sync.cost_ns = 205000000;
  text = render(with({sync, churn}), {});
  EXPECT_NE(text.find("\nADVICE 2  not counted"), std::string::npos) << text;
  EXPECT_NE(text.find("LIKELY 0   ADVICE 2   SUPPRESSED"), std::string::npos) << text;
  // Of a run of a moment, what one wait takes is a part by chance.
  Profile brief = with({churn});
  brief.process.wall_ns = 20000000, brief.findings[0].cost_ns = 9000000;
  EXPECT_EQ(render(brief, {}).find("not counted"), std::string::npos);
}

TEST(WasteReport, WhatCostsMostComesFirst) {
  Finding noop = makeFinding("noop-copy", "proven", "00000000000000a6", "cheap", 1000, 9);
  Finding again = makeFinding("reupload", "proven", "00000000000000a3", "dear", 1000, 9);
  Finding large = makeFinding("reupload", "proven", "00000000000000a1", "large", 9000, 9);
  again.cost_ns = 200000000, noop.cost_ns = 1000000, large.cost_ns = 2000000;
  std::string text = render(with({noop, large, again}), {});
  EXPECT_LT(text.find("dear"), text.find("large")) << text;
  EXPECT_LT(text.find("large"), text.find("cheap")) << text;
  // Times differ from run to run: small ones leave the order to bytes.
  again.cost_ns = 3000000;
  text = render(with({noop, large, again}), {});
  EXPECT_LT(text.find("cheap"), text.find("large")) << text;
  EXPECT_LT(text.find("large"), text.find("dear")) << text;
}

TEST(WasteReport, AKernelsFaultComesBeforeAllBugs) {
  Finding leak = makeFinding("leak", "proven", "00000000000000a1", "d", 8, 1);
  Finding fault = makeFinding("ignored-error", "proven", "00000000000000a3", "", 0, 1);
  fault.error = "cudaErrorIllegalAddress";
  std::string text = render(with({leak, fault}), {});
  EXPECT_LT(text.find(" ignored-error "), text.find(" leak ")) << text;
  EXPECT_NE(text.find("SUMMARY: gpuinstr: 1 ignored-error, 1 leak (8 B)"), std::string::npos)
      << text;
  fault.error = "cudaErrorInvalidValue";
  text = render(with({leak, fault}), {});
  EXPECT_LT(text.find(" leak "), text.find(" ignored-error ")) << text;
}

profile::Audit judged(uint64_t bytes, uint64_t ns) {
  profile::Audit audit;
  audit.mode = profile::AuditDepth::Sampled;
  audit.transfers = 400;
  audit.transfer_bytes = 1000000000;
  audit.transfer_ns = 1000000;
  audit.judged_bytes = bytes;
  audit.judged_ns = ns;
  return audit;
}

TEST(WasteReport, WhatWasJudgedAndWhatWasNotLookedAt) {
  Profile p = with({noop("proven")});
  p.coverage.audit = judged(999999999, 980000);
  p.coverage.audit.skipped_budget = 5;
  p.coverage.audit.skipped_busy = 2;
  std::string text = render(p, {});
  EXPECT_NE(
      text.find("         judged 99 % of 1 GB in copies and sets, 98 % of their time "
                "(audit=sampled)\n"
                "         repeats not looked at: 5 to keep the run's time (audit=full, budget=), 2 "
                "beside kernels\n         that may wait for the host\n"),
      std::string::npos)
      << text;
  p.coverage.audit.skipped_busy = 0;
  p.coverage.audit.skipped_full = 3;
  text = render(p, {});
  EXPECT_NE(text.find(", 3 while too many\n         copies were under way\n"), std::string::npos)
      << text;
  p.coverage.audit = profile::Audit();
  EXPECT_EQ(render(p, {}).find("judged"), std::string::npos);
}

TEST(WasteReport, CleanNeedsNineTenthsOfBytesAndTime) {
  auto result = [](const profile::Audit &audit) {
    Profile p = with({});
    p.coverage.audit = audit;
    return render(p, {});
  };
  EXPECT_NE(result(judged(900000000, 900000)).find("RESULT  clean"), std::string::npos);
  for (std::string text :
       {result(judged(890000000, 1000000)), result(judged(1000000000, 890000))}) {
    EXPECT_NE(text.find("RESULT  no bugs; waste not judged (looked at: "), std::string::npos)
        << text;
    EXPECT_NE(text.find("SUMMARY: gpuinstr: no bugs; waste not judged"), std::string::npos) << text;
  }
  profile::Audit off;
  off.mode = profile::AuditDepth::Off;
  EXPECT_NE(result(off).find("RESULT  no bugs; waste not judged (audit is off)"),
            std::string::npos);
}

TEST(WasteReport, WhatTheOwnCostWentInto) {
  Profile p = with({});
  p.process.own_costs = {{profile::OwnConsumer::DeviceLooks, 3100000},
                         {profile::OwnConsumer::Bookkeeping, 200000}};
  ReportStyle verbose;
  verbose.verbose = true;
  std::string line = "        own cost: looks on the device 3.10 ms, bookkeeping 200 us\n";
  EXPECT_NE(render(p, verbose).find(line), std::string::npos) << render(p, verbose);
  EXPECT_EQ(render(p, {}).find("looks on the device"), std::string::npos);
}

TEST(WasteReport, SuppressedWasteIsSilent) {
  Finding f = noop("proven");
  f.suppressed = true;
  std::string text = render(with({f}), {});
  EXPECT_NE(text.find("RESULT  clean |"), std::string::npos) << text;
  EXPECT_NE(text.find("SUPPRESSED 1 (1.67 GB)"), std::string::npos) << text;
}

} // namespace
