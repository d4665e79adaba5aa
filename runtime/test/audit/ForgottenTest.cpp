// gpuinstr_reset(): what was found before says nothing of what comes behind it.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/WasteFindings.h"
#include <vector>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Forgotten : AuditTest {
  static constexpr uint64_t Large = 1 << 20; ///< of as much the device is asked at the first upload
  std::vector<char> host = std::vector<char>(Large), second;
  char *d = nullptr;
  void SetUp() override {
    AuditTest::SetUp();
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 13 + i / 253);
    second = host;
    second[5] ^= 1;
    d = alloc(12, Large);
  }
  /// Bytes of a buffer that is freed; of a larger one nobody knows for sure that it had them then.
  void sendElsewhere(unsigned line, const std::vector<char> &bytes, uint64_t size) {
    char *other = alloc(line, size);
    upload(line + 1, other, bytes.data(), Large);
    free(line + 2, other);
  }
};

TEST_F(Forgotten, WhatTheDeviceHeldTwiceBefore) {
  sendElsewhere(20, host, Large);
  upload(50, d, host.data(), Large);
  ASSERT_EQ(finding("reupload").grade.text(), "proven");
  sendElsewhere(30, second, 2 * Large);
  audit::forgetWaste();
  upload(50, d, second.data(), Large);
  EXPECT_EQ(finding("reupload").grade.text(), "likely");
  EXPECT_EQ(finding("reupload").count, 1u);
}

TEST_F(Forgotten, WhatKernelsOverwroteBefore) {
  auto round = [&](int number) {
    host[0] = char(number);
    upload(50, d, host.data(), Large);
    launch("overwrites", {parameter(Writes | GPUINSTR_ACCESS_REGULAR)}, {d});
    for (uint64_t i = 0; i < Large; ++i)
      d[i] = char(host[i] + 1 + char(i % 5));
    launch("reads", {parameter(Reads)}, {d});
    syncDevice();
  };
  for (int i = 0; i < 14; ++i)
    round(i);
  EXPECT_GE(finding("dead-copy").count, 8u);
  audit::forgetWaste();
  round(14);
  EXPECT_LE(finding("dead-copy").count, 2u);
}

} // namespace
