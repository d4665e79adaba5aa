// The comparison of device times with CUPTI's, on made-up runs.
// SPDX-License-Identifier: Apache-2.0
#include "truth/TruthRows.h"
#include <gtest/gtest.h>

using namespace gpuinstr::bench;

TEST(TruthRows, ReadsSumsAndPassesOverOtherLines) {
  TruthRows rows;
  EXPECT_FALSE(readSums("hello: world\n", rows));
  ASSERT_TRUE(readSums("program says: 3\nempty: 200 1000\n[CUDA memset] 4096: 2 30\n", rows));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows["empty"].count, 200u);
  EXPECT_DOUBLE_EQ(rows["[CUDA memset] 4096"].totalNs, 30);
}

TEST(TruthRows, ReadsProfilesByKernelAndBySizeOfCopies) {
  TruthRows rows;
  EXPECT_FALSE(readProfile("{", rows));
  EXPECT_FALSE(readProfile(R"({"sites":[{"device":{"rows":[]}}]})", rows));
  const char *const text = R"({"sites":[{},{"device":{"rows":[
    {"name":"k","operation":"kernel","operations":4,"total_ns":400,"ci_ns":10,"bytes":0}]}},
    {"device":{"rows":[
    {"name":"k","operation":"kernel","operations":1,"total_ns":50,"ci_ns":5,"bytes":0},
    {"name":"","operation":"[CUDA memset]","operations":2,"total_ns":9,"ci_ns":1,"bytes":8192}]}}]})";
  ASSERT_TRUE(readProfile(text, rows));
  EXPECT_EQ(rows["k"].count, 5u);
  EXPECT_DOUBLE_EQ(rows["k"].totalNs, 450);
  EXPECT_DOUBLE_EQ(rows["k"].intervalNs, 15);
  EXPECT_EQ(rows["[CUDA memset] 4096"].count, 2u);
}

TEST(TruthRows, ARowIsCoveredWhereItsIntervalHoldsTheMean) {
  Truth truth;
  truth.addTruth({{"k", {10, 1000, 0}}, {"varies", {1, 5, 0}}});
  truth.addTruth({{"k", {10, 1200, 0}}, {"varies", {2, 5, 0}}});
  truth.addExact({{"k", {10, 1110, 0}}});
  truth.addSampled({{"k", {10, 1150, 60}}});
  truth.addSampled({{"k", {10, 1200, 60}}});
  truth.addSampled({{"other", {1, 1, 1}}});
  const std::vector<TruthRow> rows = truth.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].truthNs, 110);
  EXPECT_DOUBLE_EQ(rows[0].exactNs, 1);
  EXPECT_EQ(rows[0].errorsNs, (std::vector<double>{5, 10}));
  EXPECT_EQ(rows[0].covered, 1u);
  EXPECT_EQ(rows[0].absent, 1u);
  EXPECT_EQ(truth.others(), std::vector<std::string>{"varies"});
}

TEST(TruthRows, SumsOverKernelsCountMissingRowsAsNothing) {
  Truth truth;
  truth.addTruth({{"step_a", {1, 60, 0}}, {"step_b", {1, 40, 0}}, {"warm", {1, 900, 0}}});
  truth.addSampled({{"step_a", {1, 63, 0}}, {"step_b", {1, 40, 0}}, {"warm", {1, 1, 0}}});
  truth.addSampled({{"step_a", {1, 60, 0}}});
  EXPECT_EQ(truth.sumRatios("step_"), (std::vector<double>{1.03, 0.6}));
  EXPECT_TRUE(truth.sumRatios("none").empty());
}
