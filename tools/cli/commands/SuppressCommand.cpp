// gpuinstr suppress: a baseline of today's findings.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/Baseline.h"
#include "io/Files.h"
#include "merge/MergeFiles.h"

namespace gpuinstr::cli {

namespace {

class SuppressCommand : public Command {
  std::vector<std::string> Files;
  std::string Out;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Profiles, or folders of them").required();
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  int run(const Invocation &) override {
    profile::Profile all = loadAll(Files);
    // Of a merged profile each count is that of the rank with the most.
    for (const profile::MergedFinding &row : all.merged.findings)
      if (row.finding < all.findings.size())
        all.findings[row.finding].count = row.count.max;
    writeText(Out, baseline(all));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeSuppress() { return std::make_unique<SuppressCommand>(); }

} // namespace gpuinstr::cli
