// gpuinstr diff: moved lines match, planted regressions fail.
// SPDX-License-Identifier: Apache-2.0
#include "diff/Diff.h"
#include "Samples.h"
#include "io/Failure.h"
#include "support/Temporary.h"

namespace gpuinstr::test {

/// The program after somebody put 17 lines on top of it; ids that fell back to lines change too.
static profile::Profile moved() {
  profile::Profile p = trainProfile();
  for (profile::Site &site : p.sites)
    site.line += 17;
  p.sites[2].id = "00000000000000f3";
  p.findings[2].site = "00000000000000f3";
  return p;
}

static int codeOf(const profile::Profile &base, const profile::Profile &now,
                  const std::string &conditions) {
  Folder folder;
  Result result = gpuinstr({"diff", folder.write("base.json", base), folder.write("new.json", now),
                            "--fail-on", conditions});
  if (result.code == 2)
    ADD_FAILURE() << result.err;
  return result.code;
}

TEST(Diff, OnlyLinesMoved) {
  profile::Profile base = trainProfile(), now = moved();
  cli::Diff diff = cli::compareProfiles(base, now);
  for (const cli::SitePair &pair : diff.sites)
    EXPECT_TRUE(pair.base && pair.now);
  EXPECT_EQ(diff.sites.size(), 7u); // those that ran
  ASSERT_EQ(diff.findings.size(), 3u);
  for (const cli::FindingPair &pair : diff.findings)
    EXPECT_TRUE(pair.base && pair.now);
  EXPECT_EQ(codeOf(base, now,
                   "leak.new>0,bugs.new>0,leak.bytes>+0,ignored-error>+0,site.host>+10%,"
                   "site.calls>+0,process.wall>+10%,process.peak>+0"),
            0);
  Folder folder;
  std::string text =
      gpuinstr({"diff", folder.write("a.json", base), folder.write("b.json", now)}).out;
  EXPECT_NE(text.find("No finding is new, gone or changed."), std::string::npos) << text;
}

TEST(Diff, PlantedRegressionsFail) {
  profile::Profile base = trainProfile(), now = moved();
  now.findings.push_back(makeFinding("leak", "proven", "00000000000000a6", "d_new", 64, 1));
  EXPECT_EQ(codeOf(base, now, "leak.new>0"), 1);
  EXPECT_EQ(codeOf(base, now, "leak>+0"), 1);
  EXPECT_EQ(codeOf(base, now, "leak>+1"), 0);
  EXPECT_EQ(codeOf(base, now, "leak.bytes>+63"), 1);
  EXPECT_EQ(codeOf(base, now, "leak.bytes>+64"), 0);
  EXPECT_EQ(codeOf(base, now, "bugs.new>0"), 1);
  EXPECT_EQ(codeOf(base, now, "ignored-error.new>0, double-free>0"), 0);
  now = moved();
  now.sites[5].host.total_ns += 100000000; // +21 %
  EXPECT_EQ(codeOf(base, now, "site.host>+20%"), 1);
  EXPECT_EQ(codeOf(base, now, "site.host>+25%"), 0);
  now = moved();
  now.devices[0].peak_bytes += 100000001;
  EXPECT_EQ(codeOf(base, now, "process.peak>+100MB"), 1);
  EXPECT_EQ(codeOf(base, now, "process.peak>+101MB"), 0);
}

TEST(Diff, TimesWithinTheNoiseAreEqual) {
  profile::Profile base = trainProfile(), now = trainProfile();
  now.sites[3].host.total_ns *= 2;       // 2.3 ms more
  now.sites[2].host.total_ns += 900'000; // five times as much, but under 1 ms
  Folder folder;
  std::string a = folder.write("a.json", base), b = folder.write("b.json", now);
  EXPECT_EQ(gpuinstr({"diff", a, b, "--fail-on", ""}).code, 2) << "an unset variable";
  EXPECT_EQ(gpuinstr({"diff", a, b, "--noise", "abc"}).code, 2);
  EXPECT_EQ(gpuinstr({"diff", a, b, "--noise", "nan"}).code, 2);
  Result plain = gpuinstr({"diff", a, b, "--fail-on", "site.host>+10%"});
  EXPECT_EQ(plain.code, 1);
  EXPECT_NE(plain.out.find("saxpy"), std::string::npos);
  EXPECT_EQ(plain.out.find("FAIL site.host>+10%: cudaMemcpyAsync"), std::string::npos) << plain.out;
  EXPECT_EQ(gpuinstr({"diff", a, b, "--noise", "5", "--fail-on", "site.host>+10%"}).code, 0);
}

/// The kernel's site with an estimate of its time on the device.
static profile::Profile withDeviceTime(uint64_t ns, uint64_t doubt) {
  profile::Profile p = trainProfile();
  p.sites[3].device.method = profile::TimeMethod::Sampled;
  p.sites[3].device.samples = 40;
  p.sites[3].device.operations = 400;
  p.sites[3].device.total_ns = ns;
  p.sites[3].device.ci_ns = doubt;
  return p;
}

TEST(Diff, DeviceTimeBeyondItsDoubtFails) {
  profile::Profile base = withDeviceTime(100'000'000, 3'000'000);
  EXPECT_EQ(codeOf(base, withDeviceTime(109'000'000, 1'000'000), "site.device>+10%"), 0);
  EXPECT_EQ(codeOf(base, withDeviceTime(112'000'000, 1'000'000), "site.device>+10%"), 1);
  EXPECT_EQ(codeOf(base, withDeviceTime(112'000'000, 13'000'000), "site.device>+10%"), 0);
  EXPECT_EQ(codeOf(base, withDeviceTime(112'000'000, 1'000'000), "site.device>111 ms"), 1);
  // A site that was not timed before has nothing to have grown from.
  profile::Profile more = withDeviceTime(100'000'000, 0);
  more.sites[5].device = more.sites[3].device;
  EXPECT_EQ(codeOf(base, more, "site.device>+10%"), 0);
  Folder folder;
  std::string a = folder.write("a.json", base),
              b = folder.write("b.json", withDeviceTime(150'000'000, 1'000'000)),
              none = folder.write("none.json", trainProfile());
  std::string text = gpuinstr({"diff", a, b}).out;
  EXPECT_NE(text.find("GPU TIME"), std::string::npos) << text;
  EXPECT_NE(text.find("+50.0 %"), std::string::npos) << text;
  Result without = gpuinstr({"diff", none, none, "--fail-on", "site.device>+10%"});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("gpu_time=sampled"), std::string::npos) << without.err;
}

TEST(Diff, SuppressedLikelyAndInformationDoNotFail) {
  profile::Profile base = trainProfile(), now = trainProfile();
  profile::Finding finding = makeFinding("leak", "proven", "00000000000000a6", "x", 64, 1);
  finding.suppressed = true;
  now.findings.push_back(finding);
  finding.suppressed = false;
  finding.grade = profile::Grade::Likely;
  finding.variable = "y";
  now.findings.push_back(finding);
  EXPECT_EQ(codeOf(base, now, "leak.new>0,bugs.new>0,proven.new>0"), 0);
  EXPECT_EQ(codeOf(base, now, "likely.new>0"), 1);
}

TEST(Diff, ConditionsThatMakeNoSenseAreNamed) {
  for (const char *text : {"leek>0", "leak", "leak>", "leak>x", "leak>-1", "leak.color>0", ">0",
                           "leak>10%", "site.gpu>+10%", "site>0", "process>1", "leak>1 parsec"})
    EXPECT_THROW(cli::parseConditions(text), cli::Failure) << text;
  auto good = cli::parseConditions("leak>0, site.host > +1.5 ms ,process.peak>=2GB");
  ASSERT_EQ(good.size(), 3u);
  EXPECT_EQ(good[1].value, 1.5e6);
  EXPECT_TRUE(good[1].relative);
  EXPECT_TRUE(good[2].orEqual);
  EXPECT_EQ(good[2].value, 2e9);
}

TEST(Diff, EstimatedCountsAreNoDifference) {
  Folder folder;
  profile::Profile base = trainProfile(), now = trainProfile();
  base.findings[0].counted = now.findings[0].counted = 3;
  base.findings[0].count = 390;
  now.findings[0].count = 399;
  std::string a = folder.write("a.json", base), b = folder.write("b.json", now);
  EXPECT_NE(gpuinstr({"diff", a, b}).out.find("No finding is new, gone or changed.\n"),
            std::string::npos)
      << gpuinstr({"diff", a, b}).out;
  EXPECT_EQ(gpuinstr({"diff", a, b, "--fail-on", "leak>+0"}).code, 0);
  now.findings[0].counted = base.findings[0].counted = 0;
  a = folder.write("a.json", base), b = folder.write("b.json", now);
  EXPECT_EQ(gpuinstr({"diff", a, b, "--fail-on", "leak>+0"}).code, 1);
}

TEST(Diff, SimulatedRunsHaveNoTimes) {
  Folder folder;
  profile::Profile base = trainProfile(), now = trainProfile();
  now.sites[4].host.total_ns *= 2;
  std::string a = folder.write("a.json", base), b = folder.write("b.json", now);
  EXPECT_NE(gpuinstr({"diff", a, b}).out.find("HOST TIME"), std::string::npos);
  now.devices[0].simulated = true;
  b = folder.write("b.json", now);
  EXPECT_EQ(gpuinstr({"diff", a, b}).out.find("TIME"), std::string::npos);
}

} // namespace gpuinstr::test
