// The device code in the tree: made from the source that is there, and what the host takes it for.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/DeviceCode.h"
#include "audit/engine/HashRecords.h"
#include "audit/hash/HashRegion.h"
#include "audit/hash/HashWork.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace gpuinstr::audit;

namespace {

const std::string Folder = GPUINSTR_SOURCE_DIR "/runtime/audit/hash/";

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string outputOf(const std::string &command) {
  std::string text;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, pipe))
      text += line;
    pclose(pipe);
  }
  return text;
}

TEST(DeviceCodeTest, PtxIsWhatTheSourceGives) {
  // Another release may order instructions otherwise.
  if (outputOf("clang++-22 --version 2>/dev/null").find("22.1.8") == std::string::npos)
    GTEST_SKIP() << "made with clang 22.1.8, which is not here";
  char path[] = "/tmp/gpuinstr-ptx-XXXXXX";
  int file = mkstemp(path);
  ASSERT_GE(file, 0);
  close(file);
  int result = std::system((Folder + "DeviceHash.sh " + path + " clang++-22").c_str());
  std::string made = textOf(path);
  unlink(path);
  ASSERT_EQ(result, 0);
  EXPECT_TRUE(made == textOf(Folder + "DeviceHash.ptx"))
      << "run runtime/audit/hash/DeviceHash.sh runtime/audit/hash/DeviceHash.ptx";
}

TEST(DeviceCodeTest, PtxFitsTheHost) {
  std::string ptx = textOf(Folder + "DeviceHash.ptx");
  EXPECT_NE(ptx.find(".version 6.3\n.target sm_75"), std::string::npos) << "older drivers read it";
  for (unsigned i = 0; i < HashKernels; ++i) {
    std::string name = nameOf(HashKernel(i));
    EXPECT_NE(ptx.find(".entry " + name + "("), std::string::npos) << name;
    std::string parameter = name + "_param_0[" + std::to_string(sizeof(hash::Work)) + "]";
    EXPECT_NE(ptx.find(parameter), std::string::npos) << parameter;
  }
  // A partial sum of 32 bytes for each slot of the records.
  std::string partials = "gpuinstr_partials[" + std::to_string(Records::Count * 2 * 32) + "]";
  EXPECT_NE(ptx.find(partials), std::string::npos) << partials;
  EXPECT_EQ(ptx.find(".local"), std::string::npos) << "local memory can make a launch wait";
}

TEST(DeviceCodeTest, IsAFatBinaryOrPtx) {
  ASSERT_GT(deviceCodeBytes(), 1000u);
  uint32_t magic = *static_cast<const uint32_t *>(deviceCode());
  bool isFatBinary = magic == 0xba55ed50;
  bool isPtx =
      std::string(static_cast<const char *>(deviceCode())).find(".version") != std::string::npos;
  EXPECT_TRUE(isFatBinary || isPtx);
}

} // namespace
