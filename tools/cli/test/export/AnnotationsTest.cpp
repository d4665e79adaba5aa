// gpuinstr report --format github and junit.
// SPDX-License-Identifier: Apache-2.0
#include "export/Annotations.h"
#include "Samples.h"
#include "support/Temporary.h"
#include <gtest/gtest.h>

namespace gpuinstr::test {

TEST(Annotations, GitHubHasALineForEachFinding) {
  profile::Profile p = trainProfile();
  p.findings[0].message = "100 % lost\nnext, line";
  p.findings[1].grade = profile::Grade::Likely;
  p.findings[2].suppressed = true;
  std::string text = cli::githubAnnotations(p, "/src");
  EXPECT_EQ(text.rfind("::error file=train.cu,line=88,col=3,title=gpuinstr leak [proven]::4.19 MB "
                       "x1 d_tmp float[1048576]: 100 %25 lost",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("\n::notice file=train.cu,line=140,"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  p.sites[0].file = "/src/a:b,c.cu";
  EXPECT_EQ(cli::githubAnnotations(p, "/src/").rfind("::error file=a%3Ab%2Cc.cu,line=88", 0), 0u);
}

TEST(Annotations, JUnitFailsWhatIsProven) {
  profile::Profile p = trainProfile();
  p.findings[0].message = "<a> & \"b\"";
  p.findings[1].grade = profile::Grade::Likely;
  p.findings[2].suppressed = true;
  p.findings[2].suppression = "ignored-error:upload";
  std::string text = cli::junit(p, "/src");
  EXPECT_NE(text.find("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), std::string::npos)
      << text;
  EXPECT_NE(text.find("<testcase classname=\"train.cu\" name=\"leak d_tmp at train.cu:88 in "
                      "Trainer::step\"><failure type=\"leak\" message=\"4.19 MB x1 d_tmp "
                      "float[1048576]: &lt;a&gt; &amp; &quot;b&quot;\"/></testcase>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<skipped message=\"ignored-error:upload\"/>"), std::string::npos);
  p.findings.clear();
  text = cli::junit(p, "");
  EXPECT_NE(text.find("tests=\"1\" failures=\"0\""), std::string::npos) << text;
}

TEST(Annotations, AreFormatsOfReport) {
  Folder folder;
  std::string file = folder.write("a.json", profile::toJson(trainProfile()));
  Result github = gpuinstr({"report", "--format", "github", "--source-root", "/src", file});
  EXPECT_EQ(github.out.rfind("::error file=train.cu,", 0), 0u) << github.out << github.err;
  EXPECT_EQ(gpuinstr({"report", "--format", "junit", file}).out.rfind("<?xml", 0), 0u);
  EXPECT_EQ(gpuinstr({"report", "--format", "csv", file}).out,
            gpuinstr({"report", "--csv", file}).out);
  EXPECT_EQ(gpuinstr({"report", "--format", "junit", file, file}).code, 2);
}

} // namespace gpuinstr::test
