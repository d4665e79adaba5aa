// gpuinstr explain: what a finding means.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "lookup/FindingsPage.h"
#include "profile/Kinds.h"

namespace gpuinstr::cli {

namespace {

std::string listOfFindings() {
  std::string out;
  for (const profile::FindingKind *kind = profile::findingKinds(); !kind->id.empty(); ++kind)
    out += std::string(kind->id) + "\n";
  return out;
}

class ExplainCommand : public Command {
  std::string Id;

  void declare(OptionList &list) override { list.word("id", Id, "leak, double-free, ..."); }

  int run(const Invocation &) override {
    if (!Id.empty() && explanation(Id).empty())
      throw Failure("no finding is called '" + Id + "' (gpuinstr explain lists them)");
    writeText("", Id.empty() ? listOfFindings() : explanation(Id));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeExplain() { return std::make_unique<ExplainCommand>(); }

} // namespace gpuinstr::cli
