// The profile as JSON: round trip, schema, hostile names, bad input.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Json.h"
#include "Samples.h"
#include "Schema.h"
#include "gpuinstr/abi.h"
#include "profile/kinds/SiteKind.h"
#include <cmath>
#include <ctime>
#include <fstream>
#include <gtest/gtest.h>

namespace gpuinstr::profile {

using nlohmann::json;

static test::Schema schema() {
  std::ifstream in(std::string(GPUINSTR_SOURCE_DIR) + "/docs/profile.schema.json");
  return test::Schema(json::parse(in));
}

/// Every field set, so that one which is forgotten in either direction shows.
static Profile fullProfile() {
  Profile p = test::trainProfile();
  p.process.rank = 3;
  p.process.rank_source = "PMI_RANK";
  p.paused = true;
  p.sites[3].arguments = {"n", "2.0f", "d_x"};
  p.sites[3].kernels = {"saxpy<float>"};
  p.sites[0].variable = "d_tmp";
  p.sites[0].type = "float";
  p.sites[0].memory = Resource::Device;
  p.sites[1].caller = "00000000000000c1";
  p.sites[2].failed = 3;
  p.sites[2].bytes = 1ull << 60;
  Finding f = test::makeFinding("out-of-memory", "information", "00000000000000a1", "d_big", 9, 1);
  f.related = "00000000000000a2";
  f.cost_ns = 17;
  f.message = "asked for 9 B, 3 B were free";
  f.fix = "free d_act first";
  f.suppressed = true;
  f.suppression = "out-of-memory:*";
  f.holders = {{"00000000000000a2", "00000000000000c1", "d_act", Resource::Async, 5, 2}};
  p.findings.push_back(f);
  p.coverage.addresses_taken = {"cudaMalloc"};
  p.coverage.notes = {"NVTX is off"};
  p.suppressions = {{"leak:x max=2", "sup.txt:4", 1, 2}};
  p.sites[3].device = {TimeMethod::Sampled,
                       64,
                       400,
                       582000000,
                       7000000,
                       1390000,
                       1510000,
                       {{"saxpy<float>",
                         DeviceOperation::Kernel,
                         {},
                         64,
                         400,
                         582000000,
                         7000000,
                         1390000,
                         1510000,
                         0}}};
  DeviceRow &row = p.sites[3].device.rows[0];
  row.operations_estimated = p.sites[3].device.operations_estimated = true;
  row.median_ns = 1450000;
  row.stddev_ns = 20.5;
  row.api_ns = 11, row.queue_ns = 12, row.span_ns = 13;
  row.grid = {4096, 2, 1}, row.block = {256, 1, 1};
  row.static_shared = 1024, row.dynamic_shared = 2048, row.registers = 40;
  row.occupancy_percent = 75;
  row.shapes_differ = true;
  p.process.startup = {StartUpMethod::Cupti, 17, 11, "00000000000000a1", 2, 3, 4, 5, 6, 7};
  p.process.own_cupti_ns = 21;
  p.process.recorded_ns = 20;
  p.allocations = {
      {"00000000000000a1", "d", Resource::Pinned, "00000000000000c1", -1, 8, 9, 5, 2, 3}};
  p.breakdown.gpus = {{1, TimeMethod::Exact, 100, 40, 11, 7, 3, 1, 9, 8, 7, 6, 5, 3, 2, 18}};
  GpuShare &gpu = p.breakdown.gpus[0];
  gpu.idle_unknown_ns = 21, gpu.sum_ns = 22, gpu.ci_ns = 23, gpu.untimed = 24;
  gpu.unseen = gpu.at_most = gpu.overlapped = true;
  p.sites[3].device.untimed = 25, p.sites[3].device.no_work = 26;
  p.sites[3].device.captured_from = {"a", "b"};
  p.coverage.foreign_operations = 27;
  p.phases = {{"step", 2, 3, 4, 5, 6, true, 7, true}};
  p.power = {{1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10, 11, {{ClockReason::PowerCap, 2}}}};
  p.breakdown.host = {{HostActivity::Sync, 600}, {HostActivity::YourCode, 400}};
  return p;
}

TEST(Json, RoundTripKeepsEveryField) {
  Profile p = fullProfile(), back;
  std::string text = toJson(p), error;
  ASSERT_TRUE(fromJson(text, back, error)) << error;
  EXPECT_EQ(toJson(back), text);
  // toJson of both would agree on a field that both directions forgot: look at some by hand.
  EXPECT_EQ(back.process.rank_source, "PMI_RANK");
  EXPECT_EQ(back.findings.back().holders[0].count, 2u);
  EXPECT_EQ(back.findings.back().fix, "free d_act first");
  EXPECT_EQ(back.sites[2].bytes, 1ull << 60);
  EXPECT_EQ(back.sites[1].host.stddev_ns, 1250000);
  EXPECT_EQ(back.suppressions[0].exceeded, 2u);
  EXPECT_EQ(back.sites[3].device.method.text(), "sampled");
  EXPECT_EQ(back.sites[3].device.ci_ns, 7000000u);
  ASSERT_EQ(back.sites[3].device.rows.size(), 1u);
  EXPECT_EQ(back.sites[3].device.rows[0].operations, 400u);
  EXPECT_TRUE(back.sites[3].device.rows[0].operations_estimated);
  EXPECT_EQ(back.process.startup.loading_ns, 7u);
  EXPECT_EQ(back.process.own_cupti_ns, 21u);
  ASSERT_EQ(back.allocations.size(), 1u);
  EXPECT_EQ(back.allocations[0].live_bytes, 3u);
  EXPECT_EQ(back.breakdown.gpus[0].ci_ns, 23u);
  EXPECT_TRUE(back.breakdown.gpus[0].overlapped);
  EXPECT_EQ(back.sites[3].device.untimed, 25u);
  EXPECT_EQ(back.sites[3].device.captured_from, p.sites[3].device.captured_from);
  EXPECT_EQ(back.coverage.foreign_operations, 27u);
  ASSERT_EQ(back.phases.size(), 1u);
  EXPECT_EQ(back.phases[0].idle_ns, 7u);
  ASSERT_EQ(back.power.size(), 1u);
  EXPECT_EQ(back.power[0].sm_mhz_max, 11u);
  EXPECT_EQ(back.power[0].held_back[0].readings, 2u);
  EXPECT_TRUE(back.paused);
}

TEST(Json, FitsTheSchemaInBothDirections) {
  // Strict: the schema lists every key; "required": every key of the schema is written.
  EXPECT_EQ(schema().check(json::parse(toJson(fullProfile())), true), "");
  EXPECT_EQ(schema().check(json::parse(toJson(Profile())), true), "");
}

TEST(Json, SchemaRefusesWhatIsWrong) {
  json good = json::parse(toJson(fullProfile()));
  auto broken = [&](const char *pointer, json value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = std::move(value);
    return schema().check(bad, true);
  };
  EXPECT_NE(broken("/version", 2), "");
  EXPECT_NE(broken("/schema", "x"), "");
  EXPECT_NE(broken("/process/pid", "4242"), "");
  EXPECT_NE(broken("/sites/0/id", 161), "");
  EXPECT_NE(broken("/sites/0/id", "XYZ"), "");
  EXPECT_NE(broken("/sites/0/kind", "allocation"), "");
  EXPECT_NE(broken("/sites/0/host/count", -1), "");
  EXPECT_NE(broken("/findings/0/grade", "certain"), "");
  EXPECT_NE(broken("/findings/0/memory", "cheese"), "");
  EXPECT_NE(broken("/devices/0/new_field", 1), "");
  good["sites"][0]["host"].erase("median_ns");
  EXPECT_NE(schema().check(good, false), "");
}

TEST(Json, SchemaKnowsEveryKindAndResource) {
  for (unsigned op = 0; op < GPUINSTR_OP_COUNT_; ++op) {
    Profile p;
    p.sites.push_back(test::makeSite("0123456789abcdef", textOf(siteKindOf(op)), "f", "a", 1, "g"));
    EXPECT_EQ(schema().check(json::parse(toJson(p)), true), "") << op;
  }
  for (unsigned resource = 0; resource < GPUINSTR_RES_COUNT_; ++resource) {
    Profile p;
    p.peak_holders.push_back({"", "", "v", resourceOf(resource), 1, 1});
    EXPECT_EQ(schema().check(json::parse(toJson(p)), true), "") << resource;
  }
  EXPECT_EQ(textOf(siteKindOf(9999)), "other");
  EXPECT_EQ(textOf(resourceOf(9999)), "");
}

TEST(Json, NamesThatAreNotUtf8) {
  Profile p, back;
  p.process.exe = "/tmp/\xff\xfe\x80 caf\xe9";
  p.process.args = {std::string("nul\0inside", 10), "quote\" \\ \n \x1b"};
  p.sites.push_back(test::makeSite("0123456789abcdef", "copy", "\xed\xa0\x80", "\xc3", 1, "\xf8"));
  std::string text, error;
  ASSERT_NO_THROW(text = toJson(p));
  ASSERT_TRUE(fromJson(text, back, error)) << error;
  EXPECT_EQ(back.process.exe, "/tmp/\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD caf\xEF\xBF\xBD");
  EXPECT_EQ(back.process.args, p.process.args);
}

TEST(Json, FiguresThatAreNotFinite) {
  Profile p, back;
  p.process.own_cost_percent = std::nan("");
  p.sites.push_back(test::makeSite("0123456789abcdef", "copy", "f", "a", 1, "g"));
  p.sites[0].host.mean_ns = INFINITY;
  std::string error;
  ASSERT_TRUE(fromJson(toJson(p), back, error)) << error;
  EXPECT_EQ(back.process.own_cost_percent, 0);
  EXPECT_EQ(back.sites[0].host.mean_ns, 0);
}

TEST(Json, LargeAndNegativeNumbers) {
  Profile p, back;
  p.process.pid = -5;
  p.devices.push_back({-1, "x", UINT64_MAX, UINT64_MAX - 1, 0, false});
  std::string error;
  ASSERT_TRUE(fromJson(toJson(p), back, error)) << error;
  EXPECT_EQ(back.process.pid, -5);
  EXPECT_EQ(back.devices[0].memory_bytes, UINT64_MAX);
  EXPECT_EQ(back.devices[0].peak_bytes, UINT64_MAX - 1);
}

TEST(Json, MissingAndUnknownFieldsAreFine) {
  Profile p;
  std::string error;
  EXPECT_TRUE(fromJson(R"({"schema":"gpuinstr-profile","version":1,"new":[1,{"a":2}],
                           "sites":[{"id":"0123456789abcdef","calls":3}]})",
                       p, error))
      << error;
  ASSERT_EQ(p.sites.size(), 1u);
  EXPECT_EQ(p.sites[0].calls, 3u);
  EXPECT_EQ(p.process.rank, -1);
}

TEST(Json, BadInputIsOneLineAndChangesNothing) {
  const std::string head = R"({"schema":"gpuinstr-profile","version":1,)";
  const std::pair<std::string, std::string> cases[] = {
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "not an object"},
      {"{}", "schema is not gpuinstr-profile"},
      {R"({"schema":7,"version":1})", "schema is not gpuinstr-profile"},
      {R"({"schema":"gpuinstr-profile"})", "version is missing"},
      {R"({"schema":"gpuinstr-profile","version":"1"})", "version is missing"},
      {R"({"schema":"gpuinstr-profile","version":99})",
       "version 99 is newer than this gpuinstr's 1"},
      {head + R"("sites":{}})", "/sites: expected an array"},
      {head + R"("process":[]})", "/process: expected an object"},
      {head + R"("cuda_used":1})", "/cuda_used: expected a boolean"},
      {head + R"("sites":[{"id":"a"},{"id":5}]})", "/sites/1/id: expected a string"},
      {head + R"("sites":[{"host":{"count":-1}}]})",
       "/sites/0/host/count: expected an unsigned integer in range"},
      {head + R"("sites":[{"line":4294967296}]})",
       "/sites/0/line: expected an unsigned integer in range"},
      {head + R"("sites":[{"host":{"mean_ns":"1"}}]})", "/sites/0/host/mean_ns: expected a number"},
      {head + R"("process":{"rank":3000000000}})", "/process/rank: expected an integer in range"},
      {head + R"("process":{"pid":1.5}})", "/process/pid: expected an integer in range"},
  };
  for (const auto &[text, expected] : cases) {
    Profile p;
    p.process.exe = "kept";
    std::string error;
    EXPECT_FALSE(fromJson(text, p, error)) << text;
    EXPECT_EQ(error, expected) << text;
    EXPECT_EQ(p.process.exe, "kept");
  }
  Profile p;
  std::string error, deep(200000, '[');
  EXPECT_FALSE(fromJson(deep, p, error));
}

/// The order of keys makes no difference, and what nlohmann's tree refuses is refused.
TEST(Json, EveryChangedByteIsReadAlikeOrRefused) {
#ifdef __SANITIZE_THREAD__ // there are no threads, and it takes a hundred times as long
  constexpr std::size_t Step = 1009;
#else
  constexpr std::size_t Step = 17;
#endif
  std::string text = toJson(fullProfile());
  std::string spaced = json::parse(text).dump(); // other order of keys
  Profile ordered, general;
  std::string error;
  ASSERT_TRUE(fromJson(text, ordered, error)) << error;
  ASSERT_TRUE(fromJson(spaced, general, error)) << error;
  EXPECT_EQ(toJson(ordered), toJson(general));
  for (std::size_t at = 0; at < text.size(); at += Step)
    for (char c : {'x', '"', ',', '0', '.', '}', ' '}) {
      std::string changed = text;
      changed[at] = c;
      json tree = json::parse(changed, nullptr, false);
      Profile p;
      bool good = fromJson(changed, p, error);
      if (tree.is_discarded())
        EXPECT_FALSE(good) << at << " " << c << " " << changed.substr(at > 20 ? at - 20 : 0, 40);
      Profile again;
      std::string sorted = tree.is_discarded() ? "" : tree.dump();
      if (good && fromJson(sorted, again, error))
        EXPECT_EQ(toJson(p), toJson(again)) << at << " " << c;
    }
}

TEST(Json, ThousandSitesAreQuick) {
  Profile p = fullProfile(), back;
  for (int i = 0; i < 1000; ++i)
    p.sites.push_back(p.sites[3]);
  std::clock_t start = std::clock(); // the processor's time: the machine may be busy
  std::string text = toJson(p), error;
  ASSERT_TRUE(fromJson(text, back, error)) << error;
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
  EXPECT_EQ(back.sites.size(), p.sites.size());
}

} // namespace gpuinstr::profile
