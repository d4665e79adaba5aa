// gpuinstr sarif: findings at their lines, for code hosts.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/Sarif.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "merge/MergeFiles.h"
#include <filesystem>

namespace gpuinstr::cli {

namespace {

class SarifCommand : public Command {
  std::vector<std::string> Files;
  std::string Out, Root, Home = GPUINSTR_HOMEPAGE;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Profiles, or folders of them").required();
    list.value("--source-root", Root, "DIR", "Paths below it are written relative to it");
    list.value("--homepage", Home, "URL",
               "Where the pages of docs/ can be read: links to them (default: none)");
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  int run(const Invocation &) override {
    if (!Home.empty() && Home.rfind("https://", 0) != 0 && Home.rfind("http://", 0) != 0)
      throw Failure("--homepage " + Home + ": not an address (https://...)");
    std::string root = Root;
    if (!root.empty())
      root = std::filesystem::absolute(root).lexically_normal().string();
    writeText(Out, sarif(loadAll(Files), root, Home));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeSarif() { return std::make_unique<SarifCommand>(); }

} // namespace gpuinstr::cli
