// gpuinstr sites: the call sites embedded in a binary.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/EmbeddedSitesText.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "lookup/EmbeddedSites.h"

namespace gpuinstr::cli {

namespace {

class SitesCommand : public Command {
  std::string Binary;
  bool Json = false, All = false;

  void declare(OptionList &list) override {
    list.word("BINARY", Binary, "Executable or shared library").required();
    list.flag("--json", Json, "As JSON");
    list.flag("--all", All, "Also calling lines, and sites inside launch stubs");
  }

  int run(const Invocation &) override {
    std::string file = readText(Binary);
    std::vector<EmbeddedModule> modules;
    try {
      modules = embeddedModules(file);
    } catch (const Failure &failure) {
      throw Failure(Binary + ": " + failure.what());
    }
    if (modules.empty())
      throw Failure(Binary + ": nothing in it was compiled with the plugin");
    writeText("", Json ? embeddedSitesJson(modules, All) : embeddedSitesText(modules, All));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeSites() { return std::make_unique<SitesCommand>(); }

} // namespace gpuinstr::cli
