// gpuinstr html: one file, nothing loaded, nothing that the profile says becomes markup.
// SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "html/HtmlPage.h"
#include "merge/Merge.h"
#include "support/Temporary.h"
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
