// What a finding rests on, as `gpuinstr explain ID PROFILE` says it.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/Evidence.h"
#include <gtest/gtest.h>

using namespace gpuinstr;

namespace {

profile::Profile oneFinding() {
  profile::Profile p;
  profile::Site copy, launch;
  copy.id = "1", copy.file = "train.cu", copy.line = 76, copy.callee = "cudaMemcpy";
  launch.id = "2", launch.file = "train.cu", launch.line = 80, launch.callee = "scale";
  p.sites = {copy, launch};
  profile::Finding f;
  f.pattern = profile::Pattern::NoopCopy;
  f.grade = profile::Grade::Proven;
  f.site = "1";
  f.direction = profile::TransferDirection::HostToDevice;
  f.count = 9;
  f.checked = f.unchanged = 8;
  f.host_checked = 3;
  f.last_look_ns = 1230000000;
  f.kernels = {{"2", "reads"}};
  p.findings = {f};
  return p;
}

TEST(Evidence, LooksAndKernels) {
  std::string text = cli::evidence(oneFinding(), "noop-copy");
  EXPECT_EQ(text.rfind("train.cu:76  proven  ", 0), 0u) << text;
  EXPECT_NE(
      text.find("\n  compared: 5 on the device, 3 by what the host sent, the last 1.23 s after "
                "the start; unchanged: 8\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n    scale  train.cu:80  reads\n"), std::string::npos) << text;
}

TEST(Evidence, NoKernelHadIt) {
  profile::Profile p = oneFinding();
  p.findings[0].kernels.clear();
  EXPECT_NE(cli::evidence(p, "noop-copy").find("no kernel launch had the address"),
            std::string::npos);
}

TEST(Evidence, OtherKindsAreLeftOut) {
  EXPECT_EQ(cli::evidence(oneFinding(), "leak"), "no leak in this profile\n");
}

} // namespace
