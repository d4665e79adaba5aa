// gpuinstr explain: what a finding means, and in a profile what it rests on.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "lookup/Evidence.h"
#include "lookup/FindingsPage.h"
#include "merge/MergeFiles.h"
#include "profile/kinds/FindingKind.h"

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
  std::vector<std::string> Files;

  void declare(OptionList &list) override {
    list.word("ID", Id, "leak, double-free, ...");
    list.words("PROFILE", Files, "Their findings of this kind, and what each rests on");
  }

  int run(const Invocation &) override {
    if (!Id.empty() && explanation(Id).empty())
      throw Failure("no finding is called '" + Id + "' (gpuinstr explain lists them)");
    std::string text = Id.empty() ? listOfFindings() : explanation(Id);
    if (!Files.empty())
      text += "\n" + evidence(loadAll(Files), Id);
    writeText("", text);
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeExplain() { return std::make_unique<ExplainCommand>(); }

} // namespace gpuinstr::cli
