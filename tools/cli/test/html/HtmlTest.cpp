// gpuinstr html: one file, nothing loaded, nothing that the profile says becomes markup.
// SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "html/HtmlPage.h"
#include "merge/Merge.h"
#include "support/Temporary.h"
#include "support/TraceMaker.h"
#include "trace/TraceFile.h"
#include <nlohmann/json.hpp>

namespace gpuinstr::test {

static std::string page(const profile::Profile &profile, const std::string &source = "",
                        const cli::HtmlTimeline *timeline = nullptr) {
  cli::Sources sources(source);
  return cli::html(profile, sources, timeline);
}

static nlohmann::json dataOf(const std::string &html) {
  std::string open = "<script type=\"application/json\" id=\"data\">";
  std::size_t begin = html.find(open);
  EXPECT_NE(begin, std::string::npos);
  begin += open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(Html, NothingIsLoaded) {
  std::string html = page(trainProfile());
  for (const char *word : {"src=", "<link", "@import", "url("})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char *word : {"@STYLE@", "@DATA@", "@SCRIPT@"})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
}

/// First what to change, then where the time went, then the cards.
TEST(Html, ThePartsStandInTheOrderInWhichTheyHelp) {
  std::string html = page(trainProfile());
  std::size_t at = 0;
  for (const char *part : {"headline();\n", "\nchangesSection();\n", "timeSection();\n",
                           "findingsSection();\n", "timelineSection();\n", "callsSection();\n"}) {
    std::size_t next = html.find(part, at);
    ASSERT_NE(next, std::string::npos) << part;
    at = next;
  }
}

TEST(Html, WhyTheDeviceIdlesIsASentence) {
  EXPECT_EQ(dataOf(page(trainProfile()))["idle"], "");
  profile::Profile p = trainProfile();
  profile::GpuShare gpu;
  gpu.method = profile::TimeMethod::Exact;
  gpu.wall_ns = 2314000000, gpu.kernels_ns = 1314000000, gpu.idle_host_ns = 1000000000;
  p.breakdown.gpus = {gpu};
  p.breakdown.idle = {
      {profile::IdleCause::Host, "00000000000000a5", "00000000000000a6", 9, 700000000}};
  std::string idle = dataOf(page(p))["idle"];
  EXPECT_NE(idle.find("your code between train.cu:134 and :131"), std::string::npos) << idle;
  EXPECT_EQ(idle.find("IDLE"), std::string::npos);
}

TEST(Html, TimeOnTheDeviceOfALineHasItsInterval) {
  profile::Profile p = trainProfile();
  p.sites[3].device.samples = 64, p.sites[3].device.operations = 400;
  p.sites[3].device.total_ns = 582000000, p.sites[3].device.ci_ns = 6984000;
  p.sites[2].device.untimed = 3;
  nlohmann::json sites = dataOf(page(p))["sites"];
  EXPECT_EQ(sites[3]["device"]["ci_ns"], 6984000);
  EXPECT_EQ(sites[3]["device"]["operations"], 400);
  EXPECT_EQ(sites[2]["device"]["untimed"], 3) << "known to be not timed";
  EXPECT_TRUE(sites[4]["device"].is_null());
}

TEST(Html, MarkupInNamesStaysText) {
  const std::string evil = "</script><script>alert(1)</script><!--<script>";
  profile::Profile p = trainProfile();
  p.sites[3].callee = p.sites[3].function = p.sites[3].file = evil;
  p.sites[3].kernels = {evil};
  p.findings[0].variable = p.findings[0].message = evil;
  p.process.args[0] = "@SCRIPT@" + evil;
  std::string html = page(p);
  EXPECT_EQ(html.find("alert(1)"), html.find("alert(1)\\u003c")); // only inside the data
  EXPECT_EQ(html.find(evil), std::string::npos);
  nlohmann::json data = dataOf(html);
  EXPECT_EQ(data["sites"][3]["callee"], evil);
  EXPECT_EQ(data["process"]["args"][0], "@SCRIPT@" + evil);
}

TEST(Html, DamagedUtf8AndReorderingCharactersAreEscaped) {
  profile::Profile p = trainProfile();
  p.sites[3].callee = "k\xff\xe2\x80\xae";
  EXPECT_EQ(dataOf(page(p))["sites"][3]["callee"], "k\\xFF\\u202E");
}

TEST(Html, TheSourceAroundEachSite) {
  Folder folder;
  std::string text;
  for (int line = 1; line <= 200; ++line)
    text += "\tline " + std::to_string(line) + (line == 88 ? " </script>" : "") + "\n";
  folder.write("train.cu", text);
  nlohmann::json data = dataOf(page(trainProfile(), folder.path()));
  nlohmann::json lines = data["source"]["/src/train.cu"];
  EXPECT_EQ(lines["88"], "    line 88 </script>");
  EXPECT_TRUE(lines.contains("82"));
  EXPECT_FALSE(lines.contains("81"));
  EXPECT_FALSE(data["source"].contains("/src/buffer.h"));
}

TEST(Html, FindingsPointToTheirSites) {
  nlohmann::json data = dataOf(page(trainProfile()));
  ASSERT_EQ(data["findings"].size(), 4u);
  const nlohmann::json &leak = data["findings"][1];
  EXPECT_EQ(leak["pattern"], "leak");
  EXPECT_EQ(data["sites"][leak["site"].get<int>()]["line"], 31);
  EXPECT_EQ(data["sites"][leak["shown"].get<int>()]["line"], 140); // the caller's line
  EXPECT_EQ(leak["related"], -1);
  EXPECT_EQ(data["result"], "3 bugs");
  EXPECT_NE(data["explain"]["leak"].get<std::string>().find("## leak"), std::string::npos);
}

static cli::HtmlTimeline twoTracks() {
  cli::HtmlTimeline timeline;
  timeline.end = 1000;
  timeline.names = {"saxpy"};
  timeline.kinds = {"launch"};
  timeline.tracks.resize(2);
  for (uint64_t i = 0; i < 10; ++i)
    timeline.tracks[i % 2].events.push_back({900 - 100 * i, 10 * i + 1, 0, 0, 0, 0, 0xa4});
  return timeline;
}

TEST(Html, TimelineKeepsTheLongestEvents) {
  cli::HtmlTimeline timeline = twoTracks();
  cli::limitEvents(timeline, 4);
  EXPECT_EQ(timeline.dropped, 6u);
  for (const cli::HtmlTrack &track : timeline.tracks)
    for (const cli::HtmlEvent &event : track.events)
      EXPECT_GE(event.duration, 61u);
  EXPECT_EQ(timeline.tracks[0].events.size() + timeline.tracks[1].events.size(), 4u);
  for (cli::HtmlTrack &track : timeline.tracks) // equal ones are no exception
    for (cli::HtmlEvent &event : track.events)
      event.duration = 5;
  cli::limitEvents(timeline, 1);
  EXPECT_EQ(timeline.tracks[0].events.size() + timeline.tracks[1].events.size(), 1u);
}

TEST(Html, TimelineReachesThePage) {
  cli::HtmlTimeline timeline = twoTracks();
  for (cli::HtmlTrack &track : timeline.tracks)
    std::reverse(track.events.begin(), track.events.end());
  nlohmann::json data = dataOf(page(trainProfile(), "", &timeline));
  const nlohmann::json &track = data["timeline"]["tracks"][0];
  EXPECT_EQ(track["t"], nlohmann::json({100, 200, 200, 200, 200})); // differences
  EXPECT_EQ(data["sites"][track["s"][0].get<int>()]["id"], "00000000000000a4");
  EXPECT_TRUE(dataOf(page(trainProfile()))["timeline"].is_null());
}

TEST(Html, GapsThatAreNearAreOne) {
  using Gap = cli::HtmlGap;
  std::vector<Gap> gaps{{Gap::LeftOut, 50, 60, 2},
                        {Gap::NotTimed, 15, 20, 1},
                        {Gap::LeftOut, 0, 10, 5},
                        {Gap::LeftOut, 12, 14, 1}};
  cli::mergeGaps(gaps, 5);
  ASSERT_EQ(gaps.size(), 3u);
  EXPECT_EQ(gaps[0].end, 14u);
  EXPECT_EQ(gaps[0].count, 6u);
  EXPECT_EQ(gaps[1].start, 50u);
  EXPECT_EQ(gaps[2].reason, Gap::NotTimed);
}

TEST(Html, TheTimelineHatchesWhatIsNotThere) {
  Folder folder;
  TraceMaker maker = smallTrace(); // of two launches at 1000 and 1100 one was timed
  std::vector<trace::Record> calls{TraceMaker::call(GPUINSTR_OP_SYNC_DEVICE, 3, 2000, 2100)};
  calls[0].leftOutBefore = 9;
  calls[0].leftOutInside = 4;
  maker.records(calls).end(3000);
  auto timeline = cli::traceTimeline(cli::openTraces({folder.write("a.trace", maker.bytes)}), 100);
  using Gap = cli::HtmlGap;
  std::map<std::string, std::vector<Gap>> gaps;
  for (const cli::HtmlTrack &track : timeline.tracks)
    gaps[track.name] = track.gaps;
  ASSERT_EQ(gaps["main 77"].size(), 2u);
  EXPECT_EQ(gaps["main 77"][0].reason, Gap::LeftOut);
  EXPECT_EQ(gaps["main 77"][0].start, 1150u) << "from the end of the call before";
  EXPECT_EQ(gaps["main 77"][0].end, 2000u);
  EXPECT_EQ(gaps["main 77"][0].count, 9u);
  EXPECT_EQ(gaps["main 77"][1].reason, Gap::LeftOutInside);
  EXPECT_EQ(gaps["main 77"][1].start, 2000u);
  ASSERT_EQ(gaps["stream 1"].size(), 1u) << "on the track of its stream";
  EXPECT_EQ(gaps["stream 1"][0].reason, Gap::NotTimed);
  EXPECT_EQ(gaps["stream 1"][0].start, 1000u) << "its call";
  EXPECT_EQ(gaps["stream 1"][0].end, 1100u) << "the next work of the stream";
  ASSERT_EQ(timeline.notes.size(), 1u);
  EXPECT_EQ(timeline.notes[0], "1 operation on the device not timed (gpu_time=exact times all)");
  nlohmann::json data = dataOf(page(trainProfile(), "", &timeline));
  EXPECT_EQ(data["timeline"]["tracks"][0]["gaps"][0], nlohmann::json({1150, 2000, 9, 0}));
}

TEST(Html, WhatIsNotTimedIsHatchedUntilACallWaitsForIt) {
  using Gap = cli::HtmlGap;
  auto endOf = [](unsigned op, uint64_t stream) {
    Folder folder;
    TraceMaker maker;
    maker.process(77, 0).clock(0).thread(1, 77, "main");
    maker.site(1, GPUINSTR_OP_LAUNCH, "step", 10).site(2, op, "cudaMemcpy", 11);
    std::vector<trace::Record> calls{TraceMaker::call(GPUINSTR_OP_LAUNCH, 1, 100, 110, 1),
                                     TraceMaker::call(op, 2, 200, 900, 2),
                                     TraceMaker::call(GPUINSTR_OP_SYNC_DEVICE, 2, 1000, 1500)};
    calls[0].stream = 0xbeef0, calls[1].stream = stream;
    if (op == GPUINSTR_OP_COPY)
      calls[1].bytes = 8, calls[1].memory.direction = trace::Direction::DeviceToHost;
    maker.records(calls).end(3000);
    auto timeline =
        cli::traceTimeline(cli::openTraces({folder.write("a.trace", maker.bytes)}), 100);
    for (const cli::HtmlTrack &track : timeline.tracks)
      for (const Gap &gap : track.gaps)
        if (gap.reason == Gap::NotTimed && gap.start == 100)
          return gap.end;
    return uint64_t(0);
  };
  EXPECT_EQ(endOf(GPUINSTR_OP_SYNC_STREAM, 0xbeef0), 900u);
  EXPECT_EQ(endOf(GPUINSTR_OP_SYNC_STREAM, 0xcafe0), 1500u) << "of another stream";
  EXPECT_EQ(endOf(GPUINSTR_OP_COPY, 0xbeef0), 900u) << "a blocking download";
  EXPECT_EQ(endOf(GPUINSTR_OP_QUERY, 0xbeef0), 1500u) << "waits for nothing";
}

TEST(Html, PowerIsATrackBesideMemory) {
  Folder folder;
  TraceMaker maker = smallTrace();
  maker.entry(trace::PowerEntry{1500, 2, 250000, 1980, 40})
      .block(trace::BlockType::Power)
      .end(3000);
  auto timeline = cli::traceTimeline(cli::openTraces({folder.write("a.trace", maker.bytes)}), 100);
  ASSERT_EQ(timeline.memory.size(), 2u);
  EXPECT_FALSE(timeline.memory[0].power);
  EXPECT_EQ(timeline.memory[1].name, "Power, GPU 2");
  EXPECT_EQ(timeline.memory[1].samples[0].second, 250000u);
  EXPECT_EQ(dataOf(page(trainProfile(), "", &timeline))["timeline"]["memory"][1]["power"], true);
}

TEST(Html, NothingIsHatchedWhereAllIsThere) {
  Folder folder;
  TraceMaker maker = smallTrace();
  maker.records({TraceMaker::work(GPUINSTR_OP_LAUNCH, 3, 1060, 1090, 0x10000000002)}).end(3000);
  auto timeline = cli::traceTimeline(cli::openTraces({folder.write("a.trace", maker.bytes)}), 100);
  for (const cli::HtmlTrack &track : timeline.tracks)
    EXPECT_TRUE(track.gaps.empty()) << track.name;
  EXPECT_TRUE(timeline.notes.empty());
}

/// A launch into a stream under capture runs with its graph.
TEST(Html, WhatGoesIntoAGraphIsNotHatched) {
  Folder folder;
  TraceMaker maker = smallTrace();
  maker
      .records({TraceMaker::work(GPUINSTR_OP_LAUNCH, 3, 1060, 1090, 0x10000000002),
                TraceMaker::call(GPUINSTR_OP_CAPTURE_BEGIN, 3, 2000, 2010),
                TraceMaker::call(GPUINSTR_OP_LAUNCH, 3, 2020, 2030, 0x10000000009),
                TraceMaker::call(GPUINSTR_OP_CAPTURE_END, 3, 2040, 2050)})
      .end(3000);
  auto timeline = cli::traceTimeline(cli::openTraces({folder.write("a.trace", maker.bytes)}), 100);
  EXPECT_TRUE(timeline.notes.empty());
}

TEST(Html, ShortEventsThatAreDroppedAreHatched) {
  cli::HtmlTimeline timeline = twoTracks();
  cli::limitEvents(timeline, 4);
  uint64_t count = 0;
  for (const cli::HtmlTrack &track : timeline.tracks)
    for (const cli::HtmlGap &gap : track.gaps) {
      EXPECT_EQ(gap.reason, cli::HtmlGap::TooShort);
      count += gap.count;
    }
  EXPECT_EQ(count, timeline.dropped);
}

/// Ranks whose calls are short are not thinned more than others.
TEST(Html, RanksAreThinnedAlike) {
  Folder folder;
  for (int rank : {0, 1, 2}) {
    TraceMaker maker;
    maker.process(77 + uint32_t(rank), rank).clock(0).thread(1, 77, "main");
    maker.site(1, GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 10);
    std::vector<trace::Record> calls;
    uint64_t length = rank == 1 ? 1 : 500; // rank 1 has none among the longest
    for (uint64_t i = 0; i < (rank == 2 ? 50u : 100u); ++i)
      calls.push_back(
          TraceMaker::call(GPUINSTR_OP_SYNC_DEVICE, 1, 1000 * i, 1000 * i + length + i));
    folder.write("ranks/r" + std::to_string(rank) + ".trace",
                 maker.records(calls).end(200000).bytes);
  }
  auto timeline = cli::traceTimeline(cli::openTraces({folder.file("ranks")}), 50);
  ASSERT_EQ(timeline.tracks.size(), 3u);
  EXPECT_EQ(timeline.tracks[0].events.size(), 20u);
  EXPECT_EQ(timeline.tracks[1].events.size(), 20u);
  EXPECT_EQ(timeline.tracks[2].events.size(), 10u);
  ASSERT_FALSE(timeline.notes.empty());
  EXPECT_EQ(timeline.notes[0], "the 200 shortest left out, of each process the same share "
                               "(--events; gpuinstr trace has all)");
}

TEST(Html, RanksOfAMergedProfile) {
  profile::Profile a = trainProfile(), b = trainProfile();
  a.process.rank = 0, b.process.rank = 1;
  b.findings.clear();
  b.sites[4].host.total_ns *= 3;
  cli::Merger merger;
  merger.add(a);
  merger.add(b);
  nlohmann::json data = dataOf(page(merger.finish()));
  EXPECT_EQ(data["merged"]["processes"], 2);
  EXPECT_EQ(data["merged"]["host_ns"]["max_rank"], 1);
  EXPECT_EQ(data["findings"][0]["ranks"], "on rank 0");
  EXPECT_EQ(data["merged"]["sites"][0]["site"], 0);
  EXPECT_TRUE(dataOf(page(a))["merged"].is_null());
}

TEST(Html, CommandWritesTheFile) {
  Folder folder;
  std::string profile = folder.write("a.json", trainProfile()), out = folder.file("out.html");
  EXPECT_EQ(gpuinstr({"html", profile, "-o", out}).code, 0);
  EXPECT_EQ(cli::readText(out).rfind("<!DOCTYPE html>", 0), 0u);
  std::string trace = folder.write("a.trace", std::string("GPITRACE") + std::string(24, '\0'));
  Result alone = gpuinstr({"html", trace, "-o", out});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("needs a profile"), std::string::npos) << alone.err;
}

TEST(Html, ProfilesAndTracesInFoldersOfTheirOwn) {
  Folder folder;
  folder.write("profiles/0.json", trainProfile());
  folder.write("traces/0.trace", smallTrace().end(3000).bytes);
  std::string out = folder.file("out.html");
  Result result = gpuinstr({"html", folder.file("profiles"), folder.file("traces"), "-o", out});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(dataOf(cli::readText(out))["timeline"]["tracks"].size(), 3u);
  folder.write("profiles/0.trace", smallTrace().end(3000).bytes); // together, as before
  EXPECT_EQ(gpuinstr({"html", folder.file("profiles"), "-o", out}).code, 0);
  EXPECT_EQ(dataOf(cli::readText(out))["timeline"]["tracks"].size(), 3u);
  Result alone = gpuinstr({"html", folder.file("traces"), "-o", out});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("needs a profile"), std::string::npos) << alone.err;
}

TEST(Html, WhereTheDevicesTimeWent) {
  profile::Profile p = trainProfile();
  profile::GpuShare gpu;
  gpu.method = profile::TimeMethod::Exact;
  gpu.wall_ns = 1000, gpu.kernels_ns = 400, gpu.idle_host_ns = 600;
  p.breakdown.gpus = {gpu};
  nlohmann::json data = dataOf(page(p));
  ASSERT_EQ(data["gpu"].size(), 1u);
  EXPECT_EQ(data["gpu"][0], "GPU 0    kernels 40.0 % | idle 60.0 %: host 60.0");
}

TEST(Html, OneTimeCostsAndAllocations) {
  profile::Profile p = trainProfile();
  p.process.startup.total_ns = 146000000;
  p.process.startup.context_ns = 132000000;
  p.allocations = {{"00000000000000a2", "this->scratch", profile::Resource::Device,
                    "00000000000000c1", 0, 4, 6000000, 3000000, 1, 1500000}};
  nlohmann::json data = dataOf(page(p));
  EXPECT_EQ(data["process"]["once_ns"], 146000000);
  EXPECT_EQ(data["process"]["context_ns"], 132000000);
  ASSERT_EQ(data["allocations"].size(), 1u);
  EXPECT_EQ(data["allocations"][0]["site"], 7) << "the line that named it";
  EXPECT_EQ(data["allocations"][0]["peak"], 3000000);
  EXPECT_EQ(data["allocations"][0]["live"], 1500000);
  EXPECT_TRUE(dataOf(page(trainProfile()))["allocations"].empty());
}

} // namespace gpuinstr::test
