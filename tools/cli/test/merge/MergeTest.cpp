// gpuinstr merge: sums, spread over the ranks, union of findings, whatever the number of threads.
// SPDX-License-Identifier: Apache-2.0
#include "merge/Merge.h"
#include "Samples.h"
#include "Schema.h"
#include "merge/RankReport.h"
#include "merge/RankSet.h"
#include "support/Temporary.h"
#include <fstream>

namespace gpuinstr::test {

/// Rank 3 of 8 is slow in one call; ranks 5 and 6 leak.
static profile::Profile rankProfile(int rank) {
  profile::Profile p = trainProfile();
  p.findings.clear();
  p.process.rank = rank;
  p.process.pid = 1000 + rank;
  p.process.host = rank < 4 ? "node1" : "node2";
  p.sites[3] = timed(p.sites[3], 99, rank == 3 ? 50000 : 10000, 0);
  p.sites[3].bytes = 100;
  if (rank == 5 || rank == 6)
    p.findings.push_back(makeFinding("leak", "proven", "00000000000000a1", "d_tmp", 64, rank));
  return p;
}

static profile::Profile mergedEight() {
  cli::Merger merger;
  for (int rank = 0; rank < 8; ++rank)
    merger.add(rankProfile(rank));
  return merger.finish();
}

TEST(Merge, SumsAndSpread) {
  profile::Profile sum = mergedEight();
  EXPECT_EQ(sum.merged.processes, 8u);
  EXPECT_EQ(sum.merged.hosts, 2u);
  EXPECT_EQ(sum.sites.size(), trainProfile().sites.size());
  const profile::Site &site = sum.sites[3];
  EXPECT_EQ(site.calls, 800u);
  EXPECT_EQ(site.bytes, 800u);
  EXPECT_EQ(site.host.count, 99u * 8);
  EXPECT_EQ(site.host.total_ns, 99u * (7 * 10000 + 50000));
  EXPECT_EQ(site.host.min_ns, 10000u);
  EXPECT_EQ(site.host.max_ns, 50000u);
  EXPECT_NEAR(site.host.mean_ns, 15000, 1);
  // 7/8 at -5000 and 1/8 at +35000 about the mean.
  EXPECT_NEAR(site.host.stddev_ns, 13229, 20);
  EXPECT_NEAR(double(site.host.median_ns), 10000, 10000 / 16.0);
}

TEST(Merge, WhatTracesLeftOutIsOneLine) {
  cli::Merger merger;
  for (int rank = 0; rank < 8; ++rank) {
    profile::Profile p = rankProfile(rank);
    p.coverage.foreign_operations = 2;
    p.coverage.notes = {"trace: " + std::to_string(1000 + rank) +
                            " events of hot sites are left out: budget=2 (budget=100 keeps all)",
                        "trace: writing failed: no space", "live when killed: 3 handles"};
    if (rank == 7)
      p.coverage.notes.push_back("trace: 5 events are not in it: trace_size was reached");
    merger.add(p);
  }
  profile::Profile sum = merger.finish();
  EXPECT_EQ(sum.coverage.notes,
            (std::vector<std::string>{
                "trace: 8028 events of hot sites are left out: budget=2 (budget=100 keeps all)",
                "trace: writing failed: no space", "live when killed: 3 handles",
                "trace: 5 events are not in it: trace_size was reached"}));
  EXPECT_EQ(sum.coverage.foreign_operations, 16u);
}

TEST(Merge, NamesTheSlowRankAndTheLeakingRanks) {
  profile::Profile sum = mergedEight();
  const profile::MergedSite *slow = nullptr;
  for (const profile::MergedSite &row : sum.merged.sites)
    slow = row.site == sum.sites[3].id ? &row : slow;
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->host_ns.max_rank, 3);
  EXPECT_EQ(slow->host_ns.max, 99u * 50000);
  EXPECT_EQ(slow->host_ns.min, 99u * 10000);
  EXPECT_NEAR(slow->host_ns.imbalance_percent, 100 * (50.0 / 15 - 1), 0.1);
  EXPECT_EQ(slow->ranks, 8u);
  ASSERT_EQ(sum.findings.size(), 1u);
  EXPECT_EQ(sum.findings[0].count, 11u);
  EXPECT_EQ(sum.findings[0].bytes, 128u);
  EXPECT_EQ(sum.merged.findings[0].rank_list, "5,6");
  EXPECT_EQ(sum.merged.findings[0].count.max_rank, 6);
  EXPECT_EQ(sum.merged.findings[0].count.min, 0u) << "other ranks have none";
  std::string text = cli::rankReport(sum, 10);
  EXPECT_NE(text.find("on ranks 5,6"), std::string::npos) << text;
  EXPECT_NE(text.find("on rank 3"), std::string::npos) << text;
}

/// First who is slow and who leaks; then findings by grade, advice left out, and what is not shown
/// is counted.
TEST(Merge, TheRanksComeFirst) {
  cli::Merger merger;
  for (int rank = 0; rank < 8; ++rank) {
    profile::Profile p = rankProfile(rank);
    p.process.wall_ns = 1000000;
    p.findings.clear();
    p.findings.push_back(makeFinding("pageable-async", "advice", p.sites[0].id, "d_a", 1, 1));
    for (int i = 0; i < 9; ++i)
      p.findings.push_back(makeFinding("unused-allocation", "likely", p.sites[0].id,
                                       "d_" + std::to_string(i), 64, 1));
    if (rank == 5)
      p.findings.push_back(makeFinding("leak", "proven", p.sites[0].id, "d_lost", 4096, 1));
    merger.add(p);
  }
  profile::Profile sum = merger.finish();
  std::string head = cli::rankHead(sum), tail = cli::rankReport(sum, 5);
  EXPECT_EQ(head.rfind("RANKS    8 processes on ", 0), 0u) << head;
  EXPECT_NE(head.find("\n slow:   rank 3 (+"), std::string::npos) << head;
  EXPECT_NE(head.find("\n leaks:  rank 5, "), std::string::npos) << head;
  EXPECT_LT(tail.find(" leak  "), tail.find(" unused-allocation")) << tail;
  EXPECT_EQ(tail.find("pageable-async"), std::string::npos) << tail;
  EXPECT_NE(tail.find("\n ... 5 more (--top)\n"), std::string::npos) << tail;
  Folder folder;
  std::string text = gpuinstr({"report", folder.write("all.json", sum)}).out;
  EXPECT_EQ(text.rfind("RANKS ", 0), 0u) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << text;
  EXPECT_EQ(cli::rankHead(trainProfile()), "");
}

TEST(Merge, EstimatedCountsStayEstimates) {
  cli::Merger merger;
  for (int rank = 0; rank < 3; ++rank) {
    profile::Profile p = rankProfile(rank);
    p.findings.push_back(makeFinding("reupload", "proven", "00000000000000a6", "d_w", 6400, 100));
    p.findings.back().counted = rank == 1 ? 0 : 7 + rank; // the second one met them all
    merger.add(p);
  }
  profile::Profile sum = merger.finish();
  ASSERT_EQ(sum.findings.size(), 1u);
  EXPECT_EQ(sum.findings[0].count, 300u);
  EXPECT_EQ(sum.findings[0].counted, 7u + 100 + 9);
}

TEST(Merge, IsAProfileThatComesBack) {
  profile::Profile sum = mergedEight(), again;
  std::string text = profile::toJson(sum), error;
  ASSERT_TRUE(profile::fromJson(text, again, error)) << error;
  EXPECT_EQ(profile::toJson(again), text);
  std::ifstream in(std::string(GPUINSTR_SOURCE_DIR) + "/docs/profile.schema.json");
  Schema schema(nlohmann::json::parse(in));
  EXPECT_EQ(schema.check(nlohmann::json::parse(text), true), "");
}

TEST(Merge, FilesInAnyNumberOfBatches) {
  Folder folder;
  for (int rank = 0; rank < 70; ++rank)
    folder.write("ranks/r" + std::to_string(rank) + ".json", rankProfile(rank));
  Result result = gpuinstr({"merge", folder.file("ranks"), "-o", folder.file("all.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  profile::Profile sum = cli::loadProfile(folder.file("all.json"));
  cli::Merger inOrder;
  for (int rank = 0; rank < 70; ++rank)
    inOrder.add(rankProfile(rank));
  EXPECT_EQ(profile::toJson(sum), profile::toJson(inOrder.finish()));
}

TEST(Merge, BadFilesAreNamedAndCanBePassedOver) {
  Folder folder;
  folder.write("ranks/r0.json", rankProfile(0));
  folder.write("ranks/r1.json", "{ \"schema\":");
  std::string out = folder.file("all.json");
  Result stop = gpuinstr({"merge", folder.file("ranks"), "-o", out});
  EXPECT_EQ(stop.code, 2);
  EXPECT_NE(stop.err.find("r1.json"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(out));
  Result go = gpuinstr({"merge", "--keep-going", folder.file("ranks"), "-o", out});
  EXPECT_EQ(go.code, 1);
  EXPECT_NE(go.err.find("r1.json"), std::string::npos);
  EXPECT_EQ(cli::loadProfile(out).merged.processes, 1u);
}

TEST(Merge, SameIdInAnotherFileIsAnotherSite) {
  cli::Merger merger;
  profile::Profile one = rankProfile(5), other;
  one.sites[3].device.captured_from = {one.sites[0].id};
  other = one;
  other.sites[0].file = "/src/other.cu";
  merger.add(one);
  merger.add(other);
  profile::Profile sum = merger.finish();
  ASSERT_EQ(sum.sites.size(), trainProfile().sites.size() + 1);
  ASSERT_EQ(sum.findings.size(), 2u);
  EXPECT_EQ(sum.findings[0].site, sum.sites[0].id);
  EXPECT_EQ(sum.findings[1].site, sum.sites.back().id);
  EXPECT_NE(sum.sites[0].id, sum.sites.back().id);
  EXPECT_EQ(sum.sites[3].device.captured_from,
            (std::vector<std::string>{sum.sites[0].id, sum.sites.back().id}));
}

TEST(Merge, ProcessesWithoutARankAreNamedByTheirPlace) {
  cli::Merger merger;
  for (int place = 0; place < 3; ++place) {
    profile::Profile p = rankProfile(place == 2 ? 5 : 0);
    p.process.rank = -1;
    merger.add(p);
  }
  EXPECT_EQ(merger.finish().merged.findings[0].rank_list, "2");
}

TEST(RankSet, Text) {
  cli::RankSet set;
  EXPECT_EQ(set.text(), "");
  for (int rank : {-1, 0, 1, 2, 3, 7, 63, 64, 200, 201})
    set.add(rank);
  EXPECT_EQ(set.text(), "0-3,7,63,64,200,201");
  EXPECT_EQ(set.count(), 9u);
}

TEST(Merge, DeviceTimesAndAuditsAddUp) {
  profile::Profile a = trainProfile(), b = trainProfile();
  a.process.rank = 0, b.process.rank = 1;
  auto give = [](profile::Profile &p, const char *kernel, uint64_t total, uint64_t doubt) {
    profile::DeviceTime &time = p.sites[3].device;
    time.method = profile::TimeMethod::Sampled;
    time.samples = 10, time.operations = 100, time.total_ns = total, time.ci_ns = doubt;
    time.min_ns = total / 200, time.max_ns = total / 50;
    time.rows.resize(1);
    time.rows[0].name = kernel;
    time.rows[0].operation = profile::DeviceOperation::Kernel;
    time.rows[0].samples = 10, time.rows[0].operations = 100;
    time.rows[0].total_ns = total, time.rows[0].ci_ns = doubt, time.rows[0].bytes = 5;
    time.rows[0].queue_ns = 11, time.rows[0].stddev_ns = 4;
    time.rows[0].grid = {uint32_t(total), 1, 1};
    p.coverage.audit.mode = profile::AuditDepth::Sampled;
    p.coverage.audit.eligible = 7;
  };
  give(a, "saxpy", 1000, 30);
  give(b, "saxpy", 3000, 40);
  a.sites[3].device.captured_from = {"one", "two"};
  b.sites[3].device.captured_from = {"two", "three"};
  cli::Merger merger;
  merger.add(a);
  merger.add(b);
  give(b, "other", 3000, 40);
  merger.add(b);
  profile::Profile sum = merger.finish();
  const profile::DeviceTime &time = sum.sites[3].device;
  EXPECT_EQ(time.method.text(), "sampled");
  EXPECT_EQ(time.total_ns, 7000u);
  EXPECT_EQ(time.operations, 300u);
  EXPECT_EQ(time.samples, 30u);
  EXPECT_EQ(time.min_ns, 5u);
  EXPECT_EQ(time.max_ns, 60u);
  EXPECT_EQ(time.ci_ns, 64u); // sqrt(30^2 + 40^2 + 40^2)
  ASSERT_EQ(time.rows.size(), 2u);
  EXPECT_EQ(time.rows[0].total_ns, 4000u);
  EXPECT_EQ(time.rows[0].ci_ns, 50u);
  EXPECT_EQ(time.rows[0].bytes, 10u);
  EXPECT_EQ(time.rows[0].queue_ns, 22u);
  EXPECT_NEAR(time.rows[0].stddev_ns, 10.8, 0.1); // 10 and 30 ns on average, 4 within each
  EXPECT_TRUE(time.rows[0].shapes_differ);
  EXPECT_EQ(time.rows[1].name, "other");
  EXPECT_EQ(time.captured_from, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(sum.coverage.audit.eligible, 21u);
  EXPECT_EQ(sum.coverage.audit.mode.text(), "sampled");
}

TEST(Merge, AllocationsAddUpAndTheLongestStartStays) {
  cli::Merger merger;
  for (int rank = 0; rank < 3; ++rank) {
    profile::Profile p = rankProfile(rank);
    p.process.startup.total_ns = rank == 1 ? 150 : 100;
    p.process.startup.context_site = p.sites[size_t(rank)].id;
    p.process.own_cupti_ns = uint64_t(rank);
    p.allocations = {{"00000000000000a1", "d_tmp", profile::Resource::Device, "", 0, 2, 200,
                      100u + unsigned(rank), 1, 50}};
    if (rank == 2)
      p.allocations.push_back(
          {"00000000000000a7", "big", profile::Resource::Pinned, "", 0, 1, 900, 900, 0, 0});
    merger.add(p);
  }
  profile::Profile sum = merger.finish();
  EXPECT_EQ(sum.process.startup.total_ns, 150u);
  EXPECT_EQ(sum.process.startup.context_site, "00000000000000a2");
  EXPECT_EQ(sum.process.own_cupti_ns, 2u);
  ASSERT_EQ(sum.allocations.size(), 2u);
  EXPECT_EQ(sum.allocations[0].variable, "big") << "largest first";
  EXPECT_EQ(sum.allocations[1].count, 6u);
  EXPECT_EQ(sum.allocations[1].bytes, 600u);
  EXPECT_EQ(sum.allocations[1].peak_bytes, 102u);
  EXPECT_EQ(sum.allocations[1].live_count, 3u);
  EXPECT_EQ(sum.allocations[1].live_bytes, 150u);
}

TEST(Merge, WhatTracesLeftOutIsOneNote) {
  cli::Merger merger;
  for (int rank = 0; rank < 8; ++rank) {
    profile::Profile p = trainProfile();
    p.process.rank = rank;
    p.coverage.notes = {"trace: " + std::to_string(10 + rank / 2) +
                            " events of hot sites are left out: budget=2 (budget=100 keeps all)",
                        "another note"};
    if (rank == 3)
      p.coverage.notes.push_back("trace: 5 events are not in it: trace_size was reached");
    merger.add(p);
  }
  EXPECT_EQ(merger.finish().coverage.notes,
            (std::vector<std::string>{
                "trace: 92 events of hot sites are left out: budget=2 (budget=100 keeps all)",
                "another note", "trace: 5 events are not in it: trace_size was reached"}));
}

} // namespace gpuinstr::test
