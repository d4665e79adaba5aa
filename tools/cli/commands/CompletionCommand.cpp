// gpuinstr completion and gpuinstr man: texts made from the help.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "commandline/Completion.h"
#include "io/Files.h"

namespace gpuinstr::cli {

namespace {

class CompletionCommand : public Command {
  std::string Shell;

  void declare(OptionList &list) override {
    list.word("SHELL", Shell, "bash, zsh or fish").required().oneOf({"bash", "zsh", "fish"});
  }
  int run(const Invocation &invocation) override {
    writeText("", completionScript(invocation.help(), Shell));
    return 0;
  }
};

class ManCommand : public Command {
  void declare(OptionList &) override {}
  int run(const Invocation &invocation) override {
    writeText("", manPage(invocation.help()));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeCompletion() { return std::make_unique<CompletionCommand>(); }
std::unique_ptr<Command> makeMan() { return std::make_unique<ManCommand>(); }

} // namespace gpuinstr::cli
