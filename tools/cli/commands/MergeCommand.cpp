// gpuinstr merge: the profiles of many processes as one.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "io/Files.h"
#include "io/Profiles.h"
#include "merge/MergeFiles.h"
#include "profile/Json.h"
#include <iostream>

namespace gpuinstr::cli {

namespace {

class MergeCommand : public Command {
  std::vector<std::string> Files;
  std::string Out;
  bool KeepGoing = false;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Profiles, or folders of them").required();
    list.value("-o,--output", Out, "FILE", "Where the merged profile goes").required();
    list.flag("--keep-going", KeepGoing,
              "Pass over files that are no profile, name them, and exit with 1");
  }

  int run(const Invocation &) override {
    std::vector<std::string> skipped;
    profile::Profile sum = mergeFiles(profileFiles(Files), KeepGoing ? &skipped : nullptr);
    writeText(Out, profile::toJson(sum));
    for (const std::string &line : skipped)
      std::cerr << "gpuinstr: passed over: " << line << "\n";
    return skipped.empty() ? 0 : 1;
  }
};

} // namespace

std::unique_ptr<Command> makeMerge() { return std::make_unique<MergeCommand>(); }

} // namespace gpuinstr::cli
