// gpuinstr sarif: what a code host reads of it.
// SPDX-License-Identifier: Apache-2.0
#include "export/Sarif.h"
#include "Samples.h"
#include "support/Temporary.h"
#include <nlohmann/json.hpp>

namespace gpuinstr::test {

using nlohmann::json;

static json runOf(const profile::Profile &profile, const std::string &root = "/src",
                  const std::string &home = "https://docs.test/gpuinstr") {
  json log = json::parse(cli::sarif(profile, root, home));
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"].size(), 1u);
  return log["runs"][0];
}

static json physical(const json &result) { return result["locations"][0]["physicalLocation"]; }

TEST(Sarif, FindingsStandAtTheirLines) {
  json run = runOf(trainProfile());
  json results = run["results"];
  ASSERT_EQ(results.size(), 3u) << "held-at-exit is information";
  EXPECT_EQ(results[0]["ruleId"], "leak");
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(physical(results[0]), json::parse(R"({
    "artifactLocation": {"uri": "train.cu", "uriBaseId": "SRCROOT"},
    "region": {"startLine": 88, "startColumn": 3}})"));
  // The allocation is made in a wrapper: the line that built it is shown, the call is related.
  EXPECT_EQ(physical(results[1])["region"]["startLine"], 140);
  EXPECT_EQ(results[1]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "buffer.h");
  EXPECT_NE(results[2]["message"]["text"].get<std::string>().find("cudaErrorInvalidValue"),
            std::string::npos);
}

TEST(Sarif, EveryResultHasItsRule) {
  json run = runOf(trainProfile()), rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);
  for (const json &result : run["results"]) {
    const json &rule = rules[result["ruleIndex"].get<std::size_t>()];
    EXPECT_EQ(rule["id"], result["ruleId"]);
    EXPECT_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
    EXPECT_NE(rule["help"]["text"].get<std::string>().find("**Fix**"), std::string::npos);
  }
}

/// What the validator of Microsoft's SARIF tools asks of a file, its rules for code hosts included.
TEST(Sarif, WhatValidatorsAskFor) {
  json run = runOf(trainProfile()), driver = run["tool"]["driver"];
  EXPECT_EQ(driver["informationUri"], "https://docs.test/gpuinstr/");
  EXPECT_FALSE(driver["semanticVersion"].get<std::string>().empty());
  for (const json &rule : driver["rules"]) {
    for (const char *field : {"shortDescription", "fullDescription"}) {
      std::string text = rule[field]["text"];
      EXPECT_EQ(text.back(), '.') << field;
      EXPECT_LT(text.size(), 1024u) << field;
    }
    std::string name = rule["name"], level = rule["defaultConfiguration"]["level"];
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(name[0]))) << name;
    EXPECT_EQ(name.find('-'), std::string::npos) << name;
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note") << level;
    EXPECT_EQ(rule["helpUri"].get<std::string>(),
              "https://docs.test/gpuinstr/docs/Findings.md#" + rule["id"].get<std::string>());
  }
  for (const json &result : run["results"]) {
    EXPECT_EQ(result["message"]["text"].get<std::string>().back(), '.');
    EXPECT_FALSE(result["locations"].empty());
    EXPECT_TRUE(result["partialFingerprints"].contains("primaryLocationLineHash"));
  }
}

/// A link that leads nowhere is worse than none: the help stands in the file.
TEST(Sarif, NoLinksWhereNobodyPublishesThePages) {
  json driver = runOf(trainProfile(), "/src", "")["tool"]["driver"];
  EXPECT_FALSE(driver.contains("informationUri"));
  for (const json &rule : driver["rules"]) {
    EXPECT_FALSE(rule.contains("helpUri"));
    EXPECT_FALSE(rule["help"]["text"].get<std::string>().empty());
  }
  std::string schema = "https://docs.oasis-open.org/",
              text = cli::sarif(trainProfile(), "/src", "");
  std::size_t link = text.find("https://");
  EXPECT_EQ(text.compare(link, schema.size(), schema), 0);
}

TEST(Sarif, TheCommandTakesAHomepage) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile());
  auto driver = [&](const std::vector<std::string> &more) {
    std::vector<std::string> words{"sarif", file};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(gpuinstr(words).out)["runs"][0]["tool"]["driver"];
  };
  EXPECT_EQ(driver({"--homepage", "https://docs.test/"})["informationUri"], "https://docs.test/");
  EXPECT_FALSE(driver({"--homepage", ""}).contains("informationUri"));
  Result wrong = gpuinstr({"sarif", file, "--homepage", "docs.test"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("not an address"), std::string::npos) << wrong.err;
}

TEST(Sarif, EstimatedCountsSaySo) {
  profile::Profile p = trainProfile();
  p.findings[0].counted = 20;
  json results = runOf(p)["results"];
  EXPECT_EQ(results[0]["properties"]["estimated"], true);
  EXPECT_NE(results[0]["message"]["text"].get<std::string>().find("x~1"), std::string::npos);
  EXPECT_EQ(results[1]["properties"]["estimated"], false);
}

TEST(Sarif, FingerprintsOutliveMovedLines) {
  profile::Profile now = trainProfile();
  for (profile::Site &site : now.sites)
    site.line += 5;
  json a = runOf(trainProfile())["results"], b = runOf(now)["results"];
  std::set<std::string> different;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i]["partialFingerprints"], b[i]["partialFingerprints"]);
    EXPECT_NE(physical(a[i]), physical(b[i]));
    different.insert(a[i]["partialFingerprints"].dump());
  }
  EXPECT_EQ(different.size(), a.size());
}

TEST(Sarif, LikelyIsANoteAndSuppressedIsSaid) {
  profile::Profile p = trainProfile();
  p.findings[0].grade = profile::Grade::Likely;
  p.findings[1].suppressed = true;
  p.findings[1].suppression = "leak:Trainer::*";
  p.findings[2].suppressed = true;
  p.findings[2].suppression = "gpuinstr-ignore: ignored-error fine";
  json results = runOf(p)["results"];
  EXPECT_EQ(results[0]["level"], "note");
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[1]["suppressions"],
            json::parse(R"([{"kind": "external", "justification": "leak:Trainer::*"}])"));
  EXPECT_EQ(results[2]["suppressions"][0]["kind"], "inSource");
}

TEST(Sarif, PathsAreUris) {
  profile::Profile p = trainProfile();
  p.sites[0].file = "/src/my dir/50%/\xc3\xa9#1.cu";
  EXPECT_EQ(physical(runOf(p)["results"][0])["artifactLocation"]["uri"],
            "my%20dir/50%25/%C3%A9%231.cu");
  EXPECT_EQ(physical(runOf(p, "/else")["results"][0])["artifactLocation"],
            json::parse(R"({"uri": "file:///src/my%20dir/50%25/%C3%A9%231.cu"})"));
  p.sites[0].file = "/srcs/a.cu"; // not below /src
  EXPECT_EQ(physical(runOf(p)["results"][0])["artifactLocation"]["uri"], "file:///srcs/a.cu");
}

TEST(Sarif, ManyProfilesIntoOneFile) {
  Folder folder;
  std::string a = folder.write("a.json", trainProfile());
  profile::Profile second = trainProfile();
  second.findings = {makeFinding("leak", "proven", "00000000000000a6", "d_other", 8, 1)};
  std::string b = folder.write("b.json", second), out = folder.file("all.sarif");
  ASSERT_EQ(gpuinstr({"sarif", a, b, "--source-root", "/src/", "-o", out}).code, 0);
  json results = json::parse(cli::readText(out))["runs"][0]["results"];
  EXPECT_EQ(results.size(), 4u);
}

} // namespace gpuinstr::test
