// gpuinstr doctor: what could keep a program from being watched here.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "doctor/MachineChecks.h"
#include "io/Files.h"

namespace gpuinstr::cli {

namespace {

class DoctorCommand : public Command {
  std::string Program;

  void declare(OptionList &list) override {
    list.word("PROGRAM", Program, "A program to look at as well");
  }

  int run(const Invocation &) override {
    std::vector<Check> checks = examine(Program);
    writeText("", "gpuinstr " GPUINSTR_VERSION "\n" + checkLines(checks));
    for (const Check &check : checks)
      if (check.state == Check::State::Bad)
        return 1;
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeDoctor() { return std::make_unique<DoctorCommand>(); }

} // namespace gpuinstr::cli
