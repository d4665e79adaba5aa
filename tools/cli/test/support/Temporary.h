// A folder that is gone when the test ends, and the command line with its output caught.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TEST_SUPPORT_TEMPORARY_H
#define GPUINSTR_CLI_TEST_SUPPORT_TEMPORARY_H

#include "Commands.h"
#include "io/Files.h"
#include "io/Profiles.h"
#include "profile/Json.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gpuinstr::test {

class Folder {
public:
  Folder() {
    std::string pattern = testing::TempDir() + "/gpuinstr-cli-XXXXXX";
    Path = ::mkdtemp(pattern.data()) ? pattern : "";
    EXPECT_FALSE(Path.empty());
  }
  ~Folder() { std::filesystem::remove_all(Path); }

  std::string file(const std::string &name) const { return Path + "/" + name; }
  std::string write(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    cli::forgetInputs(); // a test may write a file again that it has read
    cli::writeText(file(name), text);
    return file(name);
  }
  std::string write(const std::string &name, const profile::Profile &profile) const {
    return write(name, profile::toJson(profile));
  }
  const std::string &path() const { return Path; }

private:
  std::string Path;
};

struct Result {
  int code = -1;
  std::string out, err;
};

/// gpuinstr with these arguments.
inline Result gpuinstr(const std::vector<std::string> &arguments) {
  Result result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  result.code = cli::runCommandLine(arguments);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

} // namespace gpuinstr::test

#endif
